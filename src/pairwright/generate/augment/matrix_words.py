"""Proposes words for slots of matrices: a slot lexicon with a causal model, a masked or a chat model, treebanks."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pairwright.generate.augment.lexicon import LLM_STAGE, SlotLexicon, SlotWord
from pairwright.generate.augment.proposers import OWN_SHARE, Fill, ProposedWords, Rank
from pairwright.llm import Completer, Request
from pairwright.morphology.inflection import Inflector
from pairwright.prompts.files import Value, load_prompt
from pairwright.records import Tree

# The most frequent ones, where a slot could take more words.
_MOST_OPTIONS = 100


class Gap(NamedTuple):
    """A slot beside a head, in a sentence.

    head    `*` where the words go with every head
    before, after  the sentence around the slot
    form    the form of a lemma in the slot; None where it has none
    words   that the slot has already
    """

    head: str
    slot: str
    upos: str
    before: str
    after: str
    form: Callable[[str], str | None]
    words: tuple[str, ...]

    def sentence(self, form: str) -> str:
        """The sentence with a form in the slot."""
        text = self.before + form + self.after
        return text[:1].upper() + text[1:]


Proposed = Iterator[tuple[Gap, list[str]]]
"""The gaps with the lemmas for them, the best first."""


def ranked_words(gaps: Sequence[Gap], lexicon: SlotLexicon, classes: Sequence[str], rank: Rank) -> Proposed:
    """The words of a slot lexicon that have one of the classes, ranked as `LexiconProposer` ranks them."""
    for gap in gaps:
        entries = (entry for entry in lexicon if entry.upos == gap.upos)
        fitting = sorted((entry for entry in entries if _has_class(entry.classes, classes)), key=_frequency)
        lemmas = (entry.lemma for entry in fitting[:_MOST_OPTIONS])
        forms = {lemma: form for lemma in lemmas if lemma not in gap.words and (form := gap.form(lemma))}
        texts = list(dict.fromkeys(text for form in forms.values() for text in (gap.sentence(form), form)))
        scores = dict(zip(texts, rank(texts), strict=True))
        worse = {lemma: OWN_SHARE * scores[form] - scores[gap.sentence(form)] for lemma, form in forms.items()}
        yield gap, sorted(forms, key=lambda lemma: (worse[lemma], lemma))


def _frequency(entry: SlotWord) -> tuple[int, str]:
    return entry.band or 99, entry.lemma


def _has_class(own: Iterable[str], wanted: Sequence[str]) -> bool:
    return any(name in wanted or name.partition(":")[0] in wanted for name in own)


def filled_words(gaps: Sequence[Gap], fill: Fill, inflector: Inflector, count: int) -> Proposed:
    """The words that a masked model puts into the gaps, by their lemmas; a form that no lexicon has is its own."""
    for gap in gaps:
        lemmas: dict[str, None] = {}
        for word in fill(gap.before, gap.after, 2 * count):
            readings = inflector.analyses(word)
            own = [reading.lemma for reading in readings if reading.upos == gap.upos] if readings else [word]
            lemmas |= {lemma: None for lemma in own if gap.form(lemma) and lemma not in gap.words}
        yield gap, list(lemmas)


def word_requests(
    gaps: Sequence[Gap], language: str, count: int, source_id: str, workspace: Path | None
) -> Iterator[Request[ProposedWords]]:
    """Requests for the words of gaps. Raises PromptError."""
    prompt = load_prompt("propose_fillers", workspace=workspace)
    for gap in gaps:
        values: dict[str, Value] = {
            "language": language,
            "count": count,
            "upos": gap.upos,
            "sentence": f"{gap.before}[[...]]{gap.after}",
            "words": ", ".join(gap.words) or "(none)",
        }
        yield Request(prompt.render(values), ProposedWords, LLM_STAGE, source_id, f"{gap.head} {gap.slot}")


def asked_words(gaps: Sequence[Gap], completer: Completer, requests: Iterable[Request[ProposedWords]]) -> Proposed:
    """A chat model's words. Raises LLMError, BudgetError."""
    for gap, answer in zip(gaps, completer.run(list(requests)), strict=True):
        words = [word.strip() for word in answer.value.words] if answer.value else []
        yield gap, [word for word in dict.fromkeys(words) if word and word not in gap.words and gap.form(word)]


def attested_words(gaps: Sequence[Gap], trees: Iterable[Tree], relations: Sequence[str]) -> Proposed:
    """The words that depend on the head by one of the relations in treebanks, the most frequent first."""
    counts: dict[str, Counter[str]] = {"*": Counter()}
    for tree in trees:
        for word in tree.words:
            if word.head and word.deprel in relations:
                counts["*"][f"{word.upos} {word.lemma}"] += 1
                counts.setdefault(tree.words[word.head - 1].lemma, Counter())[f"{word.upos} {word.lemma}"] += 1
    for gap in gaps:
        named = (name.partition(" ") for name, _ in counts.get(gap.head, Counter()).most_common())
        lemmas = [lemma for upos, _, lemma in named if upos == gap.upos]
        yield gap, [lemma for lemma in lemmas if lemma not in gap.words and gap.form(lemma)]
