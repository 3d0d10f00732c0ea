"""The columns of the tables of pairs, and what they hold: the one description from which all formats are derived."""

from collections.abc import Mapping
from typing import Any

from pairwright.core.records.release import ReleasePair

# Names of types as Arrow and `datasets` know them.
TEXT, TRUTH, INTEGER, NUMBER = "string", "bool", "int32", "float64"

Fields = dict[str, str]
# A cell holds a value, a list of values or a list of records.
ColumnType = str | list[str] | list[Fields]

_OTHER_THAN_TEXT: dict[str, ColumnType] = {
    "exception": TRUTH,
    "changes": [{"good": TEXT, "bad": TEXT, "good_at": INTEGER, "bad_at": INTEGER}],
    "votes": [{"reviewer": TEXT, "decision": TEXT, "basis": TEXT}],
    "agreement": NUMBER,
    "features": [TEXT],
    "published_source": TRUTH,
}
COLUMNS: dict[str, ColumnType] = {name: _OTHER_THAN_TEXT.get(name, TEXT) for name in ReleasePair.model_fields}
# The columns whose cells are lists of records.
NESTED = tuple(name for name, kind in COLUMNS.items() if isinstance(kind, list) and kind[0] != TEXT)


def features(columns: Mapping[str, ColumnType]) -> list[dict[str, Any]]:
    """Columns with their types, as `datasets` writes them into the metadata of a card."""
    return [{"name": name, **_feature(kind)} for name, kind in columns.items()]


def _feature(kind: ColumnType) -> dict[str, Any]:
    if isinstance(kind, str):
        return {"dtype": kind}
    item = kind[0]
    return {"list": item if isinstance(item, str) else [{"name": name, "dtype": one} for name, one in item.items()]}
