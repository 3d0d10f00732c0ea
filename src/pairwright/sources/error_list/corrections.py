"""From a sentence with corrections in brackets to the minimal pairs that it stands for."""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from pairwright.core.text import TOKEN
from pairwright.languages import Language
from pairwright.languages.morphology import Analyser
from pairwright.sources.error_list.agreement import Agreement
from pairwright.sources.error_list.alternatives import AlternativeReader, replaced
from pairwright.sources.error_list.brackets import BracketedSentence
from pairwright.sources.error_list.edits import BracketSite, Edit, WordSpan, fill, words_between
from pairwright.sources.error_list.span_features import NO_MENTIONS, Mentions, SpanFeatures
from pairwright.sources.error_list.spans import FLUENCY, Rank, RankedSpans, rank_spans

# A gap inside a correction: `on the one hand …, on the other …`.
_GAP = re.compile(r"(?:…|\.\.\.)(?=.*\w)")
# The mark at the end of a sentence, before or behind its bracket.
_END_MARK = re.compile(r"[.!?…][\"”“»’']*\s*(?:[(\[]|$)")
# A phrase without a predicate has hardly more words.
_PHRASE = 3
_MOST_GUESSES = 6
# What has more words and marks, or more corrections, is no sentence.
_MOST_TOKENS, _MOST_CORRECTIONS, _MOST_ALTERNATIVES = 300, 20, 20
# The least probability that is told from none.
_LEAST = 1e-9
# How probable the words before a bracket such as `(not x)` have to be, else it is no correction.
_LIKELY = 0.75


class UnresolvedError(ValueError):
    """No words stand where a bracket could replace them; the message is the reason."""


class SentencePair(NamedTuple):
    """A pair that a sentence stands for; the default one takes the first correction of every bracket.

    uncertain  the words that some bracket replaces are a guess; `guesses` are the other good sentences, for the default
    """

    good: str
    bad: str
    default: bool
    uncertain: bool = False
    guesses: tuple[str, ...] = ()


class _Reading(NamedTuple):
    """What a bracket stands for: the sentence with one of its edits on the good or the bad side, as it is on the other.

    good, bad  edits, the first the default; None is the sentence as it is
    doubtful   edits of which it is uncertain what they replace
    guesses    the default correction in place of other words, the most likely first, where it is doubtful
    """

    good: tuple[Edit | None, ...]
    bad: tuple[Edit | None, ...]
    doubtful: frozenset[Edit | None]
    guesses: tuple[Edit, ...]


class CorrectionReader:
    """Reads sentences with corrections, in one language and notation."""

    def __init__(
        self,
        language: Language,
        separators: tuple[str, ...],
        analyser: Analyser | None = None,
        rank: Rank | None = None,
    ) -> None:
        self._rank = rank
        self._agreement = Agreement(language, analyser)
        self._alternatives = AlternativeReader(language, separators)
        self.closed = self._alternatives.closed
        self._alphabet = language.letters

    def require_sentence(self, phrase: BracketedSentence) -> None:
        """Raises UnresolvedError for a word or phrase by itself: no capital, no end mark, no finite verb, few words.

        Also for what is too long for a sentence.
        """
        if len(TOKEN.findall(phrase.text)) > _MOST_TOKENS or len(phrase.corrections()) > _MOST_CORRECTIONS:
            reason = f"more than {_MOST_TOKENS} words and marks or {_MOST_CORRECTIONS} corrections are no sentence"
            raise UnresolvedError(f"{reason}; part it")
        words = words_between(phrase, 0, len(phrase.text))[0]
        opening = next(filter(str.isalnum, phrase.text), "")
        if not opening.isupper() and len(words) == 1:
            raise UnresolvedError("a form by itself is no sentence; write a sentence with it")
        if not (opening.islower() or opening.isdigit()) or _END_MARK.search(phrase.text):
            return
        finite = any(map(self._agreement.are_finite, words))
        if not finite and (self._agreement.analyser or len(words) <= _PHRASE):
            raise UnresolvedError("a phrase by itself is no sentence; write a sentence with it")

    def pairs(
        self,
        sentence: BracketedSentence,
        mentions: Mentions = NO_MENTIONS,
        emphasis: Sequence[tuple[int, int]] = (),
    ) -> tuple[list[SentencePair], list[str]]:
        """All pairs of a sentence: the default, those with other corrections, those with one bracket wrong.

        Also why brackets replace nothing; then all pairs are uncertain. `mentions` is what the rule and the entry name,
        `emphasis` the spans of the sentence that the page emphasises.

        Raises UnresolvedError where no bracket can replace anything, UnbalancedError for its brackets.
        """
        readings: list[_Reading] = []
        faults: list[str] = []
        for bracket in sentence.corrections():
            try:
                reading = self._reading(BracketSite.of(sentence, bracket, emphasis), mentions)
            except UnresolvedError as fault:
                faults.append(str(fault))
            else:
                readings += [reading] if reading else []
        if faults and not readings:
            raise UnresolvedError(faults[0])
        texts: dict[tuple[str, str], bool] = {}
        for good, bad, uncertain in self._texts(sentence, readings) if readings else ():
            texts.setdefault((good, bad), uncertain or bool(faults))
        first = [reading.good[0] for reading in readings]
        guesses = dict.fromkeys(
            fill(sentence, replaced(first, place, guess))
            for place, reading in enumerate(readings)
            for guess in reading.guesses
        )
        pairs = [
            SentencePair(good, bad, place == 0, uncertain, tuple(guesses) * (place == 0))
            for place, ((good, bad), uncertain) in enumerate(texts.items())
        ]
        return pairs, faults

    def _texts(self, sentence: BracketedSentence, readings: list[_Reading]) -> Iterator[tuple[str, str, bool]]:
        """The good and the bad sentences, with repetitions, and whether they are uncertain."""
        good, bad = [reading.good[0] for reading in readings], [reading.bad[0] for reading in readings]
        filled = partial(fill, sentence)
        good_text, bad_text = filled(good), filled(bad)
        uncertain = any(edit in reading.doubtful for reading, edit in zip(readings, good, strict=True))
        yield good_text, bad_text, uncertain
        for place, reading in enumerate(readings):
            for edit in reading.good[1:]:
                yield filled(replaced(good, place, edit)), bad_text, uncertain or edit in reading.doubtful
            yield from ((good_text, filled(replaced(bad, place, edit)), uncertain) for edit in reading.bad[1:])
        if len(readings) > 1:
            yield from ((good_text, filled(replaced(good, place, other)), uncertain) for place, other in enumerate(bad))

    def _reading(self, site: BracketSite, mentions: Mentions) -> _Reading | None:
        """What a bracket stands for; None where it only looks like a wording to avoid."""
        if not site.words:
            raise UnresolvedError("no words stand before the bracket")
        content, before = site.bracket.content, site.sentence.text[site.starts[0] : site.bracket.start]
        if _GAP.search(content):
            raise UnresolvedError("the correction has a gap; write all its words")
        groups = self._alternatives.groups(content, before)
        if not groups:
            raise UnresolvedError("the bracket holds no words")
        if sum(map(len, groups)) > _MOST_ALTERNATIVES:
            raise UnresolvedError(f"more than {_MOST_ALTERNATIVES} alternatives stand in the bracket; part them")
        features = SpanFeatures(site, mentions, self.closed, self._agreement, groups)
        ranked = [rank_spans(features, group) for group in groups]
        if site.bracket.kind == "right-first" and any(spans.probabilities[0] < _LIKELY for spans in ranked):
            return None
        edits: dict[Edit | None, bool] = {}
        guesses: list[Edit] = []
        chosen: dict[bool, WordSpan] = {}
        for group, spans in zip(groups, ranked, strict=True):
            default = group[0].readings()[0]
            best, *others = self._ordered(spans, partial(self._edit, site, default), site.sentence)
            # All mostly replace the same words, but for those that begin the sentence again.
            likely = chosen.setdefault(features.begins_sentence(group[0].words), best)
            span = best if spans.is_certain else likely
            certain = spans.is_certain and spans.spans[0] == ranked[0].spans[0]
            certain = certain and not site.leaves_comma_open(span, default, self.closed)
            for words in (words for alternative in group for words in alternative.readings()):
                edits.setdefault(self._edit(site, words, span), certain)
            if group is groups[0]:
                guesses = [self._edit(site, default, span) for span in others]
        doubtful = frozenset(edit for edit, certain in edits.items() if not certain)
        good, bad = (tuple(edits), (None,)) if site.bracket.kind == "wrong-first" else ((None,), tuple(edits))
        return _Reading(good, bad, doubtful, tuple(guesses))

    def _edit(self, site: BracketSite, words: list[str], span: WordSpan) -> Edit:
        return site.edit(span, words, self.closed, self._alphabet)

    def _ordered(
        self, ranked: RankedSpans, edit: Callable[[WordSpan], Edit], sentence: BracketedSentence
    ) -> Sequence[WordSpan]:
        """The likeliest spans, only one where it is certain; a language model has its say in the order of several."""
        spans = ranked.spans[: 1 if ranked.is_certain else _MOST_GUESSES]
        if self._rank is None or len(spans) == 1:
            return spans
        values = self._rank([fill(sentence, [edit(span)]) for span in spans])
        scores = {
            span: math.log(max(probability, _LEAST)) + FLUENCY * value
            for span, probability, value in zip(spans, ranked.probabilities, values, strict=False)
        }
        return sorted(spans, key=lambda span: -scores[span])
