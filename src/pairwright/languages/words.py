"""The words of a language that stand together in its file: of decisions, headings, examples, questions to models."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from pairwright.config import Settings


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
    chapters stand before the number of a heading: `Chapter`, `Appendix`
    """

    grammar: tuple[str, ...] = ()
    other: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()
    chapters: tuple[str, ...] = ()


class ExampleWords(Settings):
    """Words by which a grammar written in the language speaks of its examples. `*` at the end as in `SectionWords`.

    contrasts    set a refused form against an accepted one: `not`, `instead of`
    refusals     call a form bad: `ungrammatical`, `not possible`, `cannot`
    references   stand before the number of an example: `example`, `sentence`
    comparisons  send the reader from one example to another: `compare`, `unlike`
    history      say that a starred form is reconstructed, or a stage of a sound change
    intended     the label of what a starred sentence was meant to say: `intended`
    captions     stand before the number of a table, figure or map: `Table`
    continued    mark the caption of a table that goes on from the page before: `continued`
    """

    contrasts: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    comparisons: tuple[str, ...] = ()
    history: tuple[str, ...] = ()
    intended: tuple[str, ...] = ()
    captions: tuple[str, ...] = ()
    continued: tuple[str, ...] = ()


class TaskWords(Settings):
    """The words in which models are asked, in the language itself. `{language}` in English ones is its English name.

    sentence_rules, rule_sentences, rule_sentence, sentences_rules, sentences_rule, minimal_pair, matrix
                            what each task asks, before its sentences and options; with `rule_sentence` of one
                            sentence and one rule, with `sentences_rule` of several and one
    all_letters             asks for the letters of all options that apply, or `none`; `one_letter` for one letter,
                            `yes_or_no` for `yes` or `no`; `join` may stand between the last two letters
    sentence, translation, rule, options, answer
                            the labels of these parts
    acceptability_prefix    stands before the examples; `acceptability_example` is an example, with {text} and {label}
    acceptability_question  asks of a {text} whether it is grammatical; the labels are `yes` and `no`
    from_english, to_english
                            ask for a translation; `by_rule` says to mind a rule
    """

    sentence_rules: str = ""
    rule_sentences: str = ""
    rule_sentence: str = ""
    sentences_rules: str = ""
    sentences_rule: str = ""
    minimal_pair: str = ""
    matrix: str = ""
    all_letters: str = ""
    one_letter: str = ""
    yes_or_no: str = ""
    yes: str = ""
    no: str = ""
    none: str = ""
    join: str = ""
    sentence: str = ""
    translation: str = ""
    rule: str = ""
    options: str = ""
    answer: str = ""
    acceptability_prefix: str = ""
    acceptability_example: str = ""
    acceptability_question: str = ""
    from_english: str = ""
    to_english: str = ""
    by_rule: str = ""

    @model_validator(mode="after")
    def _has_its_places(self) -> Self:
        if (example := self.acceptability_example) and not ("{text}" in example and example.endswith("{label}")):
            raise ValueError("acceptability_example: it has {text} in it and ends with {label}")
        if self.acceptability_question and "{text}" not in self.acceptability_question:
            raise ValueError("acceptability_question: it has {text} in it")
        if (self.yes or self.no) and self.yes.casefold() == self.no.casefold():
            raise ValueError("yes and no: two labels that differ")
        return self
