"""From a sentence with corrections in brackets to its minimal pairs, and to the features that the pairs of a rule show.

Where nothing tells which words a correction replaces, a language model may be asked before people are. It gets the
readings as numbered options, in an order that their content decides, so that the program's own guess has no better
place. What it chooses stays a guess, and comes first where people decide.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import BaseModel, Field

from pairwright.core.errors import counted
from pairwright.core.ids import digest
from pairwright.core.records import Contrast, Evidence, Example, Rejection, Rule, Source
from pairwright.core.text import TOKEN, squeeze, words
from pairwright.languages import Language
from pairwright.languages.features import Demand, show_demand, show_features
from pairwright.languages.linguistics.forms import one_lexeme
from pairwright.languages.linguistics.sentences import changes
from pairwright.languages.morphology import Analyser
from pairwright.models.chat import Completer, Request, ask_about
from pairwright.models.prompts import load_prompt
from pairwright.sources import STAGE
from pairwright.sources.error_list.edits import AlternativeReader, BracketSite, Edit, fill, small_words, words_between
from pairwright.sources.error_list.notation import Bracket, BracketedSentence
from pairwright.sources.error_list.spans import Forms, Mentions, RankedSpan, SpanModel, WordSpan

PROMPTS = ("choose_reading",)
Rank = Callable[[Sequence[str]], Sequence[float]]
"""How likely each of some sentences is, as the log-probability that a language model gives it."""

# A demand is inferred from at least so many pairs, and where this share of them shows it.
_LEAST_PAIRS, _LEAST_SHARE = 2, 0.9
# How many questions one request has, and the most options that one question shows.
_AT_ONCE, MOST_OPTIONS = 12, 6
# What `Rank` weighs, as the mean log-probability of the good sentence per byte, beside the logarithm of a span's odds.
_FLUENCY = 1.0
# A gap inside a correction: `on the one hand …, on the other …`.
_GAP = re.compile(r"(?:…|\.\.\.)(?=.*\w)")
# A phrase without a predicate has hardly more words.
_PHRASE = 3
# What has more words and marks, or more corrections, is no sentence.
_MOST_TOKENS, _MOST_CORRECTIONS, _MOST_ALTERNATIVES = 300, 20, 20
# How many of the words before a bracket that deletes them are tried, and how many other good sentences people see.
_MOST_DELETED, _MOST_SHOWN = 3, 3
# How probable the words before a bracket such as `(not x)` have to be, else it is no correction; how probable other
# words than the two likeliest, so that people see them; and the least probability that is told from none.
_LIKELY, _SHOWN, _LEAST = 0.75, 0.02, 1e-9
# What no sentence has: arrows, ticks, marks of struck or emphasised words, a plus, a dash behind its end.
_LEFTOVER = re.compile(r"[→⟶⇒➔➜➡✗✓✘✔✅❌\uF0E0]|[=-]>|~~|\*|\s[+=]\s|[.!?…][\"”“»]?\s+[–—-]\s")


def with_demand(rule: Rule, analyser: Analyser) -> Rule:
    """The rule with the contrast that its own pairs show; as it is where they show none, or it has one already.

    Its heading names the wrong case and seldom the right one. A pair votes if its changed words, read as forms of one
    lemma, leave one difference open, or several of which the other pairs choose.
    """
    pairs = [example for example in rule.examples if example.bad and example.default and not example.exception]
    inferred = None if rule.contrast else _inferred(pairs, analyser)
    if inferred is None:
        return rule
    demand, shown, of = inferred
    good, bad = show_features(demand.good), show_features(demand.bad)
    contrast = Contrast(
        licence="banned",
        what=f"{good} where the bad sentence has {bad}, in {shown} of the source's own {counted(of, 'pair')} of forms",
        features=show_demand(demand),
        support=(shown, of),
    )
    return rule.model_copy(update={"contrast": contrast})


def _inferred(pairs: Iterable[Example], analyser: Analyser) -> tuple[Demand, int, int] | None:
    """The demand that most pairs show, how many show it, and how many could; None without a clear majority."""
    votes = [options for pair in pairs if (options := _differences(pair.good, pair.bad or "", analyser))]
    shown = Counter(demand for options in votes for demand in options)
    ranked: list[tuple[Demand | None, int]] = [*shown.most_common(2), (None, 0)]
    (best, count), *others = ranked
    is_clear = count >= max(_LEAST_PAIRS, _LEAST_SHARE * len(votes)) and all(count > n for _, n in others)
    return (best, count, len(votes)) if best and is_clear else None


def _differences(good: str, bad: str, analyser: Analyser) -> frozenset[Demand]:
    """The differences in features that all changed words of a pair may show; none where words were exchanged.

    Of each two words, the smallest between their readings as forms of one lemma.
    """
    sides = [(words(change.good), words(change.bad)) for change in changes(good, bad)]
    if not sides or any(len(left) != len(right) for left, right in sides):
        return frozenset()
    per_word = list[frozenset[Demand]]()
    for one, other in ((a, b) for left, right in sides for a, b in zip(left, right, strict=True)):
        readings = one_lexeme(analyser.analyse(one), analyser.analyse(other))
        both = [Demand(a.features - b.features, b.features - a.features) for a, b in readings]
        demands = [demand for demand in both if demand.good and demand.bad]
        least = min((len(demand.good | demand.bad) for demand in demands), default=0)
        per_word.append(frozenset(demand for demand in demands if len(demand.good | demand.bad) == least))
    return frozenset.intersection(*per_word) if per_word else frozenset()


class Question(NamedTuple):
    """What is to be chosen: the passage as printed, the heading over it, and its readings."""

    passage: str
    heading: str
    options: tuple[str, ...]

    def shown(self) -> list[str]:
        """The options in the order in which they are asked about."""
        return sorted(self.options, key=lambda option: digest([self.passage, option]))

    def text(self) -> str:
        """The question as a language model is asked it."""
        options = (f"  {place}. {option}" for place, option in enumerate(self.shown(), start=1))
        return "\n".join((squeeze(self.passage), f"  heading: {squeeze(self.heading)}", *options))


class Choice(BaseModel):
    """The answer to one question; option 0 is none of them."""

    question: int
    option: int
    written: str


class Choices(BaseModel):
    """One choice for every question that was asked."""

    choices: list[Choice] = Field(json_schema_extra={"maxItems": _AT_ONCE})


Choose = Callable[[Question], str | None]
"""What somebody chose of a question's readings, or wrote in their place; None where nobody did."""


class Questions:
    """The uncertain brackets of a list as questions. `read` reads it by what is chosen: once to ask, and again after.

    Raises PromptError, and what `read` raises.
    """

    def __init__(
        self,
        read: Callable[[Choose], Iterable[Rule | Rejection]],
        source: Source,
        language: Language,
        workspace: Path | None = None,
    ) -> None:
        self._read, self._source, self._language = read, source, language
        self._prompt = load_prompt(PROMPTS[0], workspace=workspace)
        asked: dict[Question, None] = {}
        for _ in read(lambda question: asked.setdefault(question)):
            pass
        self._groups = [list(asked)[start : start + _AT_ONCE] for start in range(0, len(asked), _AT_ONCE)]

    def requests(self) -> Iterator[Request[Choices]]:
        """What `answered` asks."""
        return map(self._request, self._groups)

    def answered(self, completer: Completer) -> Iterator[Rule | Rejection]:
        """The list by the answers. Raises LLMError and BudgetError as the `completer` does.

        A question that an answer leaves out, names twice or answers by a number without an option stays open.
        """
        chosen: dict[Question, str] = {}
        for group, answer in ask_about(completer, ((group, self._request(group)) for group in self._groups)):
            said = answer.value.choices if answer.value else []
            once = Counter(choice.question for choice in said)
            for choice in said:
                if once[choice.question] != 1 or not 1 <= choice.question <= len(group):
                    continue
                question = group[choice.question - 1]
                options, written = question.shown(), squeeze(choice.written)
                own = {*small_words(words(question.passage))}
                if 1 <= choice.option <= len(options):
                    chosen[question] = options[choice.option - 1]
                # What the model wrote has words of the passage alone.
                elif choice.option == 0 and written and {*small_words(words(written))} <= own:
                    chosen[question] = written
        yield from self._read(chosen.get)

    def _request(self, group: Sequence[Question]) -> Request[Choices]:
        shown = "\n\n".join(f"question {number}: {question.text()}" for number, question in enumerate(group, start=1))
        rendered = self._prompt.render({"language": self._language.name, "questions": shown})
        subject = f"{counted(len(group), 'reading')} from '{squeeze(group[0].passage)[:40]}'"
        return Request(rendered, Choices, STAGE.name, self._source.id, subject)


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
        self.closed, self._letters = self._alternatives.closed, language.letters

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
        is_part = is_short and (opening.islower() or opening.isdigit())
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

        def edit(words: list[str], span: WordSpan) -> Edit:
            return site.edit(span, words, self.closed, self._letters)

        if site.bracket.kind == "deletion":
            starts = site.starts[::-1][: len(site.words) - (0 in site.openings)]
            deleted = [Edit(start, bracket.end, "", is_certain=False) for start in starts[:_MOST_DELETED]]
            if site.marked:
                deleted = [Edit(site.starts[site.marked[0]], site.ends[site.marked[1] - 1], "")]
            if not deleted:
                raise UnresolvedError("the bracket would delete the whole sentence")
            first, *longer = deleted
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
            (best, *others), own = self._ordered(spans, partial(edit, default), site, mentions.heading)
            written += own
            # All mostly replace the same words, but for those that begin the sentence again.
            likely = chosen.setdefault(model.begins_sentence(group[0].words), best)
            span = best if spans[0].is_certain else likely
            certain = ranked[0][0].span == spans[0].span and spans[0].span in known
            readings = (words for alternative in group for words in alternative.readings())
            edits += [edit(words, span)._replace(is_certain=certain) for words in readings]
            if group is groups[0]:
                guesses = [edit(default, other) for other in others]
        return _Reading(edits, guesses, site.bracket.kind != "right-first", written)

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
