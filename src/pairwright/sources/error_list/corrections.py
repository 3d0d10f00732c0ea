"""From a sentence with corrections in brackets to the minimal pairs that it stands for."""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Literal, NamedTuple

from pairwright.core.records import Evidence, Example
from pairwright.core.text import TOKEN
from pairwright.languages import Language
from pairwright.languages.linguistics.edits import changes
from pairwright.languages.morphology import Analyser
from pairwright.sources.error_list.alternatives import AlternativeReader
from pairwright.sources.error_list.bracketed import Bracket, BracketedSentence
from pairwright.sources.error_list.edits import BracketSite, Edit, fill, words_between
from pairwright.sources.error_list.questions import MOST_OPTIONS, Choose, Question
from pairwright.sources.error_list.spans import (
    Forms,
    Mentions,
    RankedSpan,
    SpanModel,
    WordSpan,
)

Rank = Callable[[Sequence[str]], Sequence[float]]
"""How likely each of some sentences is, as the log-probability that a language model gives it."""

# What that weighs, as the mean log-probability of the good sentence per byte, beside the logarithm of a span's odds.
_FLUENCY = 1.0
# A gap inside a correction: `on the one hand …, on the other …`.
_GAP = re.compile(r"(?:…|\.\.\.)(?=.*\w)")
# The mark at the end of a sentence, before or behind its bracket.
_END_MARK = re.compile(r"[.!?…][\"”“»’']*\s*(?:[(\[]|$)")
# A phrase without a predicate has hardly more words.
_PHRASE = 3
# What has more words and marks, or more corrections, is no sentence.
_MOST_TOKENS, _MOST_CORRECTIONS, _MOST_ALTERNATIVES = 300, 20, 20
# How many of the words before a bracket that deletes them are tried.
_MOST_DELETED = 3
# How many other good sentences people who decide about a pair see.
_MOST_SHOWN = 3
# How probable the words before a bracket such as `(not x)` have to be, else it is no correction.
_LIKELY = 0.75
# How probable other words than the two likeliest have to be so that people see them.
_SHOWN = 0.02
# What no sentence has: arrows, ticks, marks of struck or emphasised words, a plus, a dash behind its end.
_LEFTOVER = re.compile(r"[→⟶⇒➔➜➡✗✓✘✔✅❌\uF0E0]|[=-]>|~~|\*|\s[+=]\s|[.!?…][\"”“»]?\s+[–—-]\s")
# The least probability that is told from none.
_LEAST = 1e-9


class UnresolvedError(ValueError):
    """No words stand where a bracket could replace them; the message is the reason."""


class SentencePair(NamedTuple):
    """A pair that a sentence stands for; a default one takes the first correction of every bracket, and one is wrong.

    uncertain     the words that some bracket replaces are a guess
    alternatives  other good sentences, the likeliest first, three at most
    phrase        all of them are phrases or forms, without the full stop of a sentence
    """

    good: str
    bad: str
    default: bool
    uncertain: bool
    alternatives: tuple[str, ...] = ()
    phrase: bool = False

    def example(self, evidence: Evidence, note: str | None, entry: str | None = None, *, guess: bool) -> Example:
        """The pair as an example of its rule, uncertain where it is a guess what the bracket means."""
        # A sign that is left over belongs to a manner of which not all was understood.
        uncertain = self.uncertain or guess or any(_LEFTOVER.search(text) for text in (self.bad, self.good))
        given = self._replace(uncertain=uncertain)._asdict()
        return Example(**given, changes=changes(self.good, self.bad), evidence=evidence, note=note, entry=entry)


class _Reading(NamedTuple):
    """What a bracket may put in place of words: the edits, the default first, and the default in place of other words.

    is_good  whether the edits belong to the good sentence, as those of `(= x)`, or to the bad one, as of `(not x)`
    written  sentences that somebody wrote in place of what the bracket makes
    """

    edits: list[Edit]
    guesses: list[Edit]
    is_good: bool
    written: list[str]


class CorrectionReader:
    """Reads sentences with corrections, in one language and notation."""

    def __init__(
        self,
        language: Language,
        separators: tuple[str, ...],
        analyser: Analyser | None = None,
        rank: Rank | None = None,
        choose: Choose | None = None,
        *,
        phrases: bool = False,
    ) -> None:
        self._rank, self._choose, self._phrases = rank, choose, phrases
        self._forms = Forms(analyser)
        self._alternatives = AlternativeReader(language, separators)
        self.closed = self._alternatives.closed
        self._alphabet = language.letters

    def _part_of_sentence(self, phrase: BracketedSentence) -> Literal["form", "phrase"] | None:
        """What a word or phrase by itself is: no capital, no end mark, no finite verb, few words. None for a sentence.

        Raises UnresolvedError for what is too long for a sentence.
        """
        if len(TOKEN.findall(phrase.text)) > _MOST_TOKENS or len(phrase.corrections()) > _MOST_CORRECTIONS:
            reason = f"more than {_MOST_TOKENS} words and marks or {_MOST_CORRECTIONS} corrections are no sentence"
            raise UnresolvedError(f"{reason}; split it")
        words = words_between(phrase, 0, len(phrase.text))[0]
        opening = next(filter(str.isalnum, phrase.text), "")
        if not opening.isupper() and len(words) == 1:
            return "form"
        is_short = len(words) <= _PHRASE and not any(map(self._forms.is_finite, words))
        is_part = is_short and (opening.islower() or opening.isdigit()) and not _END_MARK.search(phrase.text)
        return "phrase" if is_part else None

    def pairs(self, sentence: BracketedSentence, mentions: Mentions) -> tuple[list[SentencePair], list[str]]:
        """All pairs of a sentence: those with one bracket wrong, that with all of them, those with other corrections.

        Also why brackets replace nothing; then all pairs are uncertain. `mentions` is what the rule and the entry name.

        Raises UnresolvedError where no bracket can replace anything, UnbalancedError for its brackets.
        """
        part = self._part_of_sentence(sentence)
        if part and not self._phrases:
            remedy = "write a sentence with it, or set phrases = true in source.toml to pair it as it is"
            raise UnresolvedError(f"a {part} by itself is no sentence; {remedy}")
        read: list[_Reading] = []
        faults: list[str] = []
        for bracket in sentence.corrections():
            try:
                read += filter(None, [self._reading(sentence, bracket, mentions)])
            except UnresolvedError as fault:
                faults.append(str(fault))
        if faults and not read:
            raise UnresolvedError(faults[0])
        # What begins in small letters or has a colon before a bracket may be an enumeration, or have a label.
        before = sentence.text[: sentence.corrections()[0].start] if read else ""
        is_plain = next(filter(str.isalpha, before), "").isupper() and ":" not in before
        is_certain = (is_plain or part is not None) and not faults
        return list(_pairs(sentence, read, certain=is_certain, phrase=part is not None)) if read else [], faults

    def _model(self, sentence: BracketedSentence, bracket: Bracket, mentions: Mentions) -> SpanModel:
        """What tells which words a bracket replaces. Raises UnresolvedError, UnbalancedError."""
        site = BracketSite.of(sentence, bracket)
        if not site.words:
            raise UnresolvedError("no words stand before the bracket")
        if _GAP.search(bracket.content):
            raise UnresolvedError("the correction has a gap; write all its words")
        before = sentence.text[site.starts[0] : bracket.start]
        groups = self._alternatives.groups(bracket.content, before, is_whole=site.is_whole)
        if not groups and bracket.kind != "deletion":
            raise UnresolvedError("the bracket holds no words")
        if sum(map(len, groups)) > _MOST_ALTERNATIVES:
            raise UnresolvedError(f"more than {_MOST_ALTERNATIVES} alternatives stand in the bracket; split them")
        return SpanModel(site, mentions, self.closed, self._forms, groups)

    def _reading(self, sentence: BracketedSentence, bracket: Bracket, mentions: Mentions) -> _Reading | None:
        """What a bracket puts in place of words before it; None where it only looks like a wording to avoid.

        Raises UnresolvedError, UnbalancedError.
        """
        model = self._model(sentence, bracket, mentions)
        site, groups = model.site, model.groups
        if site.bracket.kind == "deletion":
            starts = site.starts[::-1][: len(site.words) - (0 in site.openings)]
            starts = [site.starts[site.marked[0]]] if site.marked else starts[:_MOST_DELETED]
            if not starts:
                raise UnresolvedError("the bracket would delete the whole sentence")
            first, *longer = (Edit(start, bracket.end, "", is_certain=bool(site.marked)) for start in starts)
            return _Reading([first], longer, is_good=True, written=[])
        ranked = [model.ranked(number) for number in range(len(groups))]
        least = 0.0 if site.bracket.is_clear else _LIKELY
        if site.bracket.kind == "right-first" and any(spans[0].probability < least for spans in ranked):
            return None
        # What one alternative makes certain holds for those that most likely replace the same words.
        known = {spans[0].span for spans in ranked if spans[0].is_certain}
        edits: list[Edit] = []
        guesses: list[Edit] = []
        written: list[str] = []
        chosen: dict[bool, WordSpan] = {}
        for group, spans in zip(groups, ranked, strict=True):
            default = group[0].readings()[0]
            edit = partial(self._edit, site, default)
            (best, *others), own = self._ordered(spans, edit, site, mentions.heading)
            written += own
            # All mostly replace the same words, but for those that begin the sentence again.
            likely = chosen.setdefault(model.begins_sentence(group[0].words), best)
            span = best if spans[0].is_certain else likely
            certain = ranked[0][0].span == spans[0].span and spans[0].span in known
            readings = (words for alternative in group for words in alternative.readings())
            edits += [self._edit(site, words, span)._replace(is_certain=certain) for words in readings]
            if group is groups[0]:
                guesses = [edit(other) for other in others]
        return _Reading(edits, guesses, site.bracket.kind != "right-first", written)

    def _edit(self, site: BracketSite, words: list[str], span: WordSpan) -> Edit:
        return site.edit(span, words, self.closed, self._alphabet)

    def _ordered(
        self, ranked: list[RankedSpan], edit: Callable[[WordSpan], Edit], site: BracketSite, heading: str
    ) -> tuple[list[WordSpan], list[str]]:
        """The likeliest spans, only one where it is certain, and what somebody wrote who found none of them right.

        Of several, the one that is chosen comes first; before, a model that ranks sentences has its say.
        """
        ranked = [*ranked[:2], *(each for each in ranked[2:MOST_OPTIONS] if each.probability >= _SHOWN)]
        ranked = ranked[:1] if ranked[0].is_certain else ranked
        if len(ranked) == 1:
            return [ranked[0].span], []
        readings = {each.span: fill(site.sentence, [edit(each.span)]) for each in ranked}
        if self._rank is not None:
            values = dict(zip(readings, self._rank(list(readings.values())), strict=True))
            ranked.sort(key=lambda each: -math.log(max(each.probability, _LEAST)) - _FLUENCY * values[each.span])
        spans = [each.span for each in ranked]
        if self._choose is None:
            return spans, []
        options, (start, end) = tuple(dict.fromkeys(readings.values())), (site.bracket.start, site.bracket.end)
        # The passage as printed, but for its other brackets.
        printed = fill(site.sentence, [Edit(start, end, site.sentence.text[start:end])])
        chosen = self._choose(Question(printed, heading, options))
        written = [chosen] if chosen and chosen not in options else []
        return sorted(spans, key=lambda span: readings[span] != chosen), written


def _pairs(sentence: BracketedSentence, read: list[_Reading], *, certain: bool, phrase: bool) -> Iterator[SentencePair]:
    """All pairs of a sentence by what its brackets stand for."""
    good = [edits[0] if is_good else None for edits, _, is_good, _ in read]
    bad = [None if is_good else edits[0] for edits, _, is_good, _ in read]

    def filled(side: list[Edit | None], place: int = 0, *other: Edit | None) -> str:
        text = fill(sentence, [*side[:place], *other, *side[place + len(other) :]])
        return text.removesuffix(".") if phrase else text

    certain = certain and all(edits[0].is_certain for edits, *_ in read)
    # One error each comes first, all of them together later.
    texts = {(filled(good), filled(good, place, wrong)): certain for place, wrong in enumerate(bad)}
    texts[filled(good), filled(bad)] = certain
    for place, (edits, _, is_good, _) in enumerate(read):
        for other in edits[1:]:
            pair = (filled(good, place, other), filled(bad)) if is_good else (filled(good), filled(bad, place, other))
            texts.setdefault(pair, certain and other.is_certain)
    for number, ((one, wrong_one), is_certain) in enumerate(texts.items()):
        others, first, rest = [better for better, same in texts if same == wrong_one and better != one], [], []
        if is_default := number < len(read):
            # The first guess shares what is wrong with the pair; another alternative may not.
            best, *rest = [*(filled(good, number, guess) for guess in read[number].guesses), ""]
            first = [*read[number].written, best]
        alternatives = filter(None, dict.fromkeys([*first, *others[:1], *rest, *others]))
        if one != wrong_one:
            shown = tuple(islice(alternatives, _MOST_SHOWN))
            yield SentencePair(one, wrong_one, is_default, not is_certain, shown, phrase)
