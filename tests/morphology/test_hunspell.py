"""Hunspell dictionaries: every form that the format's rules make is analysed, and nothing else is.

Made-up dictionaries are written to files and expanded here, from what was written and by the words of hunspell(5), with
no part of the reader.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pairwright.core.errors import MorphologyError
from pairwright.languages.features import NO_FEATURES, Features
from pairwright.languages.morphology.hunspell import HunspellLexicon

NEED, AROUND = 90, 91
SUFFIX_FLAGS, PREFIX_FLAGS = (1, 2, 3), (7, 8)
CONDITIONS = (".", "a", "[ab]", "[^a]b", "a.")


@dataclass(frozen=True)
class Rule:
    strip: str
    add: str
    condition: str
    further: tuple[int, ...]
    morph: str


@dataclass(frozen=True)
class Class:
    rules: tuple[Rule, ...]
    cross: bool


@dataclass(frozen=True)
class Made:
    """A dictionary as numbers and letters, before it is written in one of the ways of the format."""

    stems: tuple[tuple[str, tuple[int, ...], str], ...]
    suffixes: dict[int, Class] = field(default_factory=dict)
    prefixes: dict[int, Class] = field(default_factory=dict)
    full_strip: bool = False


def written(made: Made, directory: Path, flags: str, *, aliases: bool) -> Path:
    """The dictionary as files, with flags of the given type, behind aliases or not. Returns the path of the .dic."""
    rows: list[tuple[int, ...]] = []
    morphs: list[str] = []

    def flag(number: int) -> str:
        return {"num": str(number), "long": f"{number:02d}"}.get(flags, chr(0x41 + number))

    def row(numbers: tuple[int, ...]) -> str:
        if not aliases:
            return (("," if flags == "num" else "").join(map(flag, numbers))) if numbers else ""
        rows.append(numbers)
        return str(len(rows)) if numbers else ""

    def morph(text: str) -> str:
        if not aliases:
            return text
        morphs.append(text)
        return str(len(morphs))

    lines = []
    for kind, classes in (("SFX", made.suffixes), ("PFX", made.prefixes)):
        for number, members in classes.items():
            lines.append(f"{kind} {flag(number)} {'Y' if members.cross else 'N'} {len(members.rules)}")
            for rule in members.rules:
                further = f"/{row(rule.further)}" if rule.further else ""
                lines.append(
                    f"{kind} {flag(number)} {rule.strip or '0'} {rule.add or '0'}{further} {rule.condition} "
                    f"{morph(rule.morph)}"
                )
    words = [f"{stem}{'/' + row(numbers) if numbers else ''}\t{morph(text)}" for stem, numbers, text in made.stems]
    head = ["SET UTF-8"] + ([] if flags == "short" else [f"FLAG {flags}"])
    head += [f"NEEDAFFIX {flag(NEED)}", f"CIRCUMFIX {flag(AROUND)}"] + ["FULLSTRIP"] * made.full_strip
    if aliases:
        head += [f"AF {len(rows)}"]
        head += [f"AF {('' if flags != 'num' else ',').join(map(flag, numbers)) or flag(99)}" for numbers in rows]
        head += [f"AM {len(morphs)}"] + [f"AM {text}" for text in morphs]
    (directory / "made.aff").write_text("\n".join([*head, *lines]) + "\n", encoding="utf-8")
    (directory / "made.dic").write_text("\n".join([str(len(words)), *words]) + "\n", encoding="utf-8")
    return directory / "made.dic"


def chains(made: Made, flags: tuple[int, ...]) -> Iterator[tuple[tuple[Class, Rule], ...]]:
    """No suffix, one that the flags allow, or two of which the first allows the second."""
    yield ()
    for one in (number for number in flags if number in made.suffixes):
        for inner in made.suffixes[one].rules:
            yield ((made.suffixes[one], inner),)
            for two in (number for number in inner.further if number in made.suffixes):
                for outer in made.suffixes[two].rules:
                    yield ((made.suffixes[one], inner), (made.suffixes[two], outer))


def expanded(made: Made) -> set[tuple[str, str, str]]:
    """Every form of the dictionary with its stem and its morphological fields."""
    found = set()
    for stem, flags, morph in made.stems:
        prefixes = [(number, members, rule) for number, members in made.prefixes.items() for rule in members.rules]
        for prefix in (None, *prefixes):
            allowed = flags + (prefix[2].further if prefix and prefix[0] in flags else ())
            for chain in chains(made, allowed):
                form = made_form(made, stem, flags, chain, prefix)
                if form is not None:
                    told = [morph, *(rule.morph for _, rule in chain), *([prefix[2].morph] if prefix else [])]
                    found.add((form, stem, " ".join(told)))
    return found


def made_form(
    made: Made,
    stem: str,
    flags: tuple[int, ...],
    chain: tuple[tuple[Class, Rule], ...],
    prefix: tuple[int, Class, Rule] | None,
) -> str | None:
    """The form that affixes make of a stem, None where a rule of the format forbids it."""
    form: str | None = stem
    for _, rule in chain:
        if form is None or not re.search(f"(?:{'' if rule.condition == '.' else rule.condition})$", form):
            return None
        form = exchanged(form, rule, made.full_strip)
    further = [flag for _, rule in chain for flag in rule.further]
    open_end = NEED in (chain[-1][1].further if chain else flags)
    if prefix is None or form is None:
        return None if open_end or AROUND in further else form
    number, members, rule = prefix
    crossing = not chain or (members.cross and all(other.cross for other, _ in chain))
    complete = NEED not in rule.further or (bool(chain) and not open_end)
    around = (AROUND in rule.further) == (AROUND in further)
    allowed = number in (*flags, *further) and crossing and complete and around
    if not allowed or (rule.condition != "." and not re.match(rule.condition, form)):
        return None
    # A prefix is a suffix of the word read backwards.
    turned = exchanged(form[::-1], Rule(rule.strip[::-1], rule.add[::-1], "", (), ""), made.full_strip)
    return turned[::-1] if turned is not None else None


def exchanged(form: str, rule: Rule, full_strip: bool) -> str | None:
    """The form with its end exchanged; None where it has another end, or is nothing but that end."""
    if not form.endswith(rule.strip) or (form == rule.strip and not full_strip):
        return None
    return form[: len(form) - len(rule.strip)] + rule.add


def no_tags(morph: str) -> tuple[None, Features]:
    return None, NO_FEATURES


def classes(flags: tuple[int, ...], further: tuple[int, ...]) -> st.SearchStrategy[dict[int, Class]]:
    rule = st.builds(
        Rule,
        strip=st.sampled_from(["", "a", "b", "ab"]),
        add=st.sampled_from(["", "a", "c", "ba"]),
        condition=st.sampled_from(CONDITIONS),
        further=st.lists(st.sampled_from(further), max_size=2, unique=True).map(tuple),
        morph=st.sampled_from(["is:x", "is:y"]),
    )
    members = st.builds(Class, rules=st.lists(rule, min_size=1, max_size=3).map(tuple), cross=st.booleans())
    return st.dictionaries(st.sampled_from(flags), members, max_size=len(flags))


STEMS = st.tuples(
    st.text(alphabet="abc", min_size=1, max_size=3),
    st.lists(st.sampled_from((*SUFFIX_FLAGS, *PREFIX_FLAGS, NEED)), max_size=4, unique=True).map(tuple),
    st.sampled_from(["po:n", "po:v"]),
)
MADE = st.builds(
    Made,
    stems=st.lists(STEMS, min_size=1, max_size=4, unique=True).map(tuple),
    suffixes=classes(SUFFIX_FLAGS, (*SUFFIX_FLAGS, *PREFIX_FLAGS, NEED, AROUND)),
    prefixes=classes(PREFIX_FLAGS, (*SUFFIX_FLAGS, NEED, AROUND)),
    full_strip=st.booleans(),
)
SUPPLETIVE = Made(
    stems=(("ab", (1, NEED), "po:n"),),
    suffixes={1: Class((Rule("ab", "c", ".", (7, AROUND), "is:x"), Rule("b", "a", "ab", (), "is:y")), cross=True)},
    prefixes={7: Class((Rule("", "ba", ".", (AROUND,), "is:z"),), cross=True)},
    full_strip=True,
)
# A suffix that a stem takes with a prefix alone.
PREFIXED = Made(
    stems=(("ab", (7,), "po:n"),),
    suffixes={1: Class((Rule("b", "c", ".", (), "is:x"),), cross=True)},
    prefixes={7: Class((Rule("", "ba", ".", (1,), "is:z"),), cross=True)},
)
# A prefix that only a suffix allows, which only the prefix allows: the stem takes neither.
CIRCULAR = Made(
    stems=(("ab", (2,), "po:n"),),
    suffixes={
        1: Class((Rule("b", "c", ".", (7,), "is:x"),), cross=True),
        2: Class((Rule("b", "a", ".", (), "is:y"),), cross=True),
    },
    prefixes={7: Class((Rule("", "b", ".", (1,), "is:z"),), cross=True)},
)


@example(made=CIRCULAR, flags="short", aliases=False)
@example(made=SUPPLETIVE, flags="num", aliases=True)
@example(made=PREFIXED, flags="long", aliases=False)
@given(made=MADE, flags=st.sampled_from(["short", "num", "long", "UTF-8"]), aliases=st.booleans())
def test_the_forms_that_are_analysed_are_those_that_the_rules_make(made: Made, flags: str, aliases: bool) -> None:
    truth = expanded(made)
    with TemporaryDirectory() as directory:
        lexicon = HunspellLexicon(written(made, Path(directory), flags, aliases=aliases), no_tags)
    tried = {form for form, _, _ in truth} | {"".join(letters) for letters in product("abc", repeat=3)}
    analysed = {(form, it.lemma, it.tag) for form in tried for it in lexicon.readings(form)}
    assert analysed == truth
    cells = {
        (cell.form, cell.analysis.lemma, cell.analysis.tag)
        for stem, _, _ in made.stems
        for cell in lexicon.paradigm(stem)
    }
    assert cells == truth


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A small sound dictionary."""
    (tmp_path / "x.aff").write_text("SET UTF-8\nSFX A Y 1\nSFX A as o as is:Sg_Gen\n", encoding="utf-8")
    (tmp_path / "x.dic").write_text("2\nkalnas/A po:noun\nupė po:noun\n", encoding="utf-8")
    return tmp_path


def test_fields_without_a_tab_and_words_without_flags(files: Path) -> None:
    lexicon = HunspellLexicon(files / "x.dic", no_tags)
    assert [(it.lemma, it.tag, it.source) for it in lexicon.readings("kalno")] == [
        ("kalnas", "po:noun is:Sg_Gen", "x.dic")
    ]
    assert [it.lemma for it in lexicon.readings("upė")] == ["upė"]


def test_a_stem_field_names_the_lemma_and_forbidden_words_are_no_words(files: Path) -> None:
    (files / "x.aff").write_text("SET UTF-8\nFORBIDDENWORD !\n", encoding="utf-8")
    (files / "x.dic").write_text("3\nžmonės po:noun st:žmogus\nžmogai/!\nir\\/arba po:c\n", encoding="utf-8")
    lexicon = HunspellLexicon(files / "x.dic", no_tags)
    assert [it.lemma for it in lexicon.readings("žmonės")] == ["žmogus"]
    assert lexicon.readings("žmogai") == ()
    assert [it.lemma for it in lexicon.readings("ir/arba")] == ["ir/arba"]


@pytest.mark.parametrize(
    ("encoding", "name", "end"), [("iso8859-13", "ISO8859-13", "\n"), ("utf-8-sig", "UTF-8", "\r\n")]
)
def test_old_encodings_line_ends_of_windows_and_byte_order_marks_do_no_harm(
    tmp_path: Path, encoding: str, name: str, end: str
) -> None:
    (tmp_path / "x.aff").write_bytes(f"SET {name}{end}SFX A Y 1{end}SFX A ė ės ė{end}".encode(encoding))
    (tmp_path / "x.dic").write_bytes(f"1{end}upė/A{end}".encode(encoding))
    assert [it.lemma for it in HunspellLexicon(tmp_path / "x.dic", no_tags).readings("upės")] == ["upė"]


@pytest.mark.parametrize(
    ("aff", "dic", "message"),
    [
        (b"SET UTF-8\nAF 1\nAF A\nSFX A Y 1\nSFX A as o/2 as\n", b"1\nkalnas\n", r"x\.aff:5: there is no AF line 2"),
        (b"SET UTF-8\nAM 1\nAM po:n\n", b"1\nkalnas\t7\n", r"x\.dic:2: there is no AM line 7"),
        (b"SET UTF-8\nSFX A Y\n", b"1\nkalnas\n", r"x\.aff:2: 'SFX A Y' is no affix rule"),
        (b"SET UTF-8\nSFX A Y 1\nSFX A as o [^]\n", b"1\nkalnas\n", r"x\.aff:3: '\[\^\]' is no condition"),
        (b"SET KLINGON\n", b"1\nkalnas\n", r"unknown encoding 'KLINGON'"),
        (b"SET UTF-8\n", b"1\nup\xeb\n", r"x\.dic:2:3: byte 0xeb is not utf-8"),
        (None, b"1\nkalnas\n", r"x\.aff: no such file"),
    ],
)
def test_a_faulty_dictionary_is_one_line_that_names_the_place(
    tmp_path: Path, aff: bytes | None, dic: bytes, message: str
) -> None:
    if aff is not None:
        (tmp_path / "x.aff").write_bytes(aff)
    (tmp_path / "x.dic").write_bytes(dic)
    with pytest.raises(MorphologyError, match=message) as caught:
        HunspellLexicon(tmp_path / "x.dic", no_tags)
    assert "\n" not in str(caught.value)
