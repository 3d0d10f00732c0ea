"""The columns of the tables of pairs, and what they hold: the one description from which all formats are derived."""

from pairwright.records.release import ReleasePair

# Names of types as Arrow and `datasets` know them.
TEXT, TRUTH, INTEGER, NUMBER = "string", "bool", "int32", "float64"

Fields = dict[str, str]
# A cell holds a value, a list of values or a list of records.
ColumnType = str | list[str] | list[Fields]

_OTHER_THAN_TEXT: dict[str, ColumnType] = {
    "exception": TRUTH,
    "changes": [{"good": TEXT, "bad": TEXT, "good_at": INTEGER, "bad_at": INTEGER}],
    "votes": [{"reviewer": TEXT, "decision": TEXT}],
    "agreement": NUMBER,
    "features": [TEXT],
    "published_source": TRUTH,
}
COLUMNS: dict[str, ColumnType] = {name: _OTHER_THAN_TEXT.get(name, TEXT) for name in ReleasePair.model_fields}
# The columns whose cells are lists of records.
NESTED = tuple(name for name, kind in COLUMNS.items() if isinstance(kind, list) and kind[0] != TEXT)
