"""Grammar points, the source's own examples of them, and the evidence that they rest on."""

from typing import Literal, Self

from pairwright.core.records.documents import Block, Record


class Change(Record):
    """A span in which the good and the bad sentence differ. `good_at` and `bad_at` are character offsets."""

    good: str
    bad: str
    good_at: int
    bad_at: int


class Evidence(Record):
    """The place in the source that supports a record, with the words quoted from it."""

    block_id: str
    file: str
    page: int
    line: int | None = None
    quote: str

    @classmethod
    def at(cls, block: Block, quote: str, line: int | None = None) -> Self:
        """Words of a block with their place. Pass `line` where they do not stand on the block's first line."""
        at_line = block.line if line is None else line
        return cls(block_id=block.id, file=block.file, page=block.page, line=at_line, quote=quote)


class LLMCall(Record):
    """The call of a language model that a record comes from."""

    prompt: str  # name and version of the prompt, such as `judge_pair/v1`, with the SHA-256 of its file
    prompt_sha256: str
    server: str  # the base URL without its port, or the local model's name and hash
    model: str  # the model that was asked for
    served_model: str | None = None  # the model that answered, according to the server; None if that is not known
    reply: str  # the key of the answer in the cache of replies

    @property
    def model_label(self) -> str:
        """The model for people: the one asked for and, where another one answered, that one as well."""
        if self.served_model in (None, self.model):
            return self.model
        return f"{self.model} (answered by {self.served_model})"


class Example(Record):
    """An example that the source itself gives for a rule."""

    good: str  # the acceptable sentence
    bad: str | None  # the unacceptable one; None where the source gives only an acceptable sentence
    evidence: Evidence
    changes: tuple[Change, ...] = ()
    alternatives: tuple[str, ...] = ()  # other good sentences for the same bad one, in order
    default: bool = True  # True for the source's first choice, False for the other readings of the same bracket
    uncertain: bool = False  # True where the words that a correction replaces are the reader's best guess
    exception: bool = False  # True where the source says that the rule does not apply
    phrase: bool = False  # True where the two are phrases or forms, and no sentences
    entry: str | None = None  # the headword under which the source lists the example
    note: str | None = None
    segmentation: str | None = None  # the good sentence in morphemes, where the source has it so
    gloss: str | None = None
    translation: str | None = None
    mark: str | None = None  # the acceptability mark that the source prints before the bad sentence: `*`, `??`, `#`


Licence = Literal["banned", "obligatory", "none"]


class Contrast(Record):
    """Whether a rule licenses a minimal pair, on what ground, and which one.

    licence  banned: the source rules the bad sentence out, in words or by a mark; obligatory: it states the rule as one
             without exceptions, and that the bad sentence is bad is inferred; none: it permits, defines or describes
    """

    licence: Licence
    what: str  # what the good sentence has and the bad one lacks; for an unlicensed rule, why it licenses no pair
    features: tuple[str, ...] = ()  # of the changed words, such as "good: Case=Gen" and "bad: Case=Nom"
    evidence: Evidence | None = None  # the words of the source that support the licence
    against: tuple[Evidence, ...] = ()  # words elsewhere in the source that took a licence away
    support: tuple[int, int] | None = None

    @property
    def licensed(self) -> bool:
        """Whether the rule licenses pairs at all."""
        return self.licence != "none"


class Rule(Record):
    """One grammar point, quoted from a document or declared in a contrast file.

    quote        stands in the source letter for letter; `page` is where it begins
    declared_in  the contrast file, such as `contrasts/lt.toml`, in which it begins at `line`; it quotes nothing then
    """

    id: str
    source_id: str
    code: str
    title: str
    description: str  # in English, or in the source's own words where no language model was asked
    category: str
    phenomenon: str
    section: tuple[str, ...] = ()
    block_ids: tuple[str, ...]
    quote: str
    page: int
    line: int | None = None
    examples: tuple[Example, ...] = ()
    notes: tuple[str, ...] = ()
    extracted_by: str
    evidence: tuple[Evidence, ...] = ()  # all passages of the source that state the rule, the one of `quote` first
    example_ids: tuple[str, ...] = ()  # the blocks of the source's examples; `examples` are their sentences
    exceptions: tuple[str, ...] = ()  # where the rule does not apply, in the source's words
    words: tuple[str, ...] = ()  # words and affixes of the language that it is about, as the source prints them
    labels: tuple[str, ...] = ()  # labels of glosses that it is about, such as PROH or 3SG.PST
    contrast: Contrast | None = None  # None where the source itself gives the pairs, as error lists do
    asked: tuple[LLMCall, ...] = ()  # the calls of language models that state the rule
    declared_in: str | None = None
    taken_from: str | None = None  # the id of the source that states it, where a treebank gives pairs for it
    kept: bool = False  # the source as it is now read lacks it: it stays for the pairs that people decided on

    @property
    def declaration(self) -> str | None:
        """The file and line where it is declared, such as `contrasts/lt.toml:12`; None where a source states it."""
        return f"{self.declared_in}:{self.line}" if self.declared_in else None
