"""The words of a language file that belong together: of headings and examples; and its model pairs."""

from pairwright.core.config import Settings


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
