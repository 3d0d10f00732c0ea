"""The numbers of a rule's grown pairs: how varied they are, and whether lengths moved."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from pairwright.generate.augment.frames import tokens_of
from pairwright.generate.augment.growth import CountSubwords
from pairwright.records import Augmentation, Candidate, Record

_LONGEST_NGRAM = 4


class SideFigures(Record):
    """Lengths of pairs: mean words and subwords of the good sentence, and how many subwords more the bad one has.

    differences  how many pairs have each difference, by the difference
    """

    pairs: int
    words: float
    subwords: float
    difference: float
    differences: dict[int, int]


class RuleFigures(Record):
    """The numbers of one rule.

    before           of the seeds, each counted once for every pair that it grew into; `after` of those pairs
    lemmas           different new lemmas; `most_used` the share of pairs with the most frequent one
    type_token       different words of the good sentences by their words, 0-1
    distinct_2       different pairs of neighbouring words by all such pairs, 0-1
    self_bleu        mean BLEU-4 of each good sentence against all others, 0-1 (Zhu et al. 2018, Texygen)
    near_duplicates  share of the good sentences that differ from another one in one word alone
    """

    rule_id: str
    code: str
    seeds: int
    before: SideFigures
    after: SideFigures
    lemmas: int
    most_used: float
    type_token: float
    distinct_2: float
    self_bleu: float
    near_duplicates: float


def rule_figures(
    rule_id: str, code: str, seeds: Mapping[str, Candidate], pairs: Sequence[Candidate], subwords: CountSubwords
) -> RuleFigures:
    """The numbers of a rule's pairs, at least one, and of their seeds, by id."""
    parents = [seeds[pair.parent_id] for pair in pairs if pair.parent_id is not None and pair.parent_id in seeds]
    sentences = [tokens_of(pair.good) for pair in pairs]
    lemmas = Counter(
        item.lemma
        for pair in pairs
        if isinstance(pair.derivation, Augmentation)
        for item in pair.derivation.replacements
        if not item.agrees
    )
    words = [word for sentence in sentences for word in sentence if word[0].isalnum()]
    twos = [two for sentence in sentences for two in _ngrams(sentence, 2)]
    return RuleFigures(
        rule_id=rule_id,
        code=code,
        seeds=len({parent.id for parent in parents}),
        before=_side(parents, subwords),
        after=_side(pairs, subwords),
        lemmas=len(lemmas),
        most_used=round(max(lemmas.values(), default=0) / len(pairs), 4),
        type_token=round(len(set(words)) / len(words), 4),
        distinct_2=round(len(set(twos)) / len(twos), 4) if twos else 0.0,
        self_bleu=round(self_bleu(sentences), 4),
        near_duplicates=round(near_duplicates(sentences), 4),
    )


def _side(pairs: Sequence[Candidate], subwords: CountSubwords) -> SideFigures:
    counts = subwords([text for pair in pairs for text in (pair.good, pair.bad)])
    goods, bads = counts[::2], counts[1::2]
    differences = Counter(bad - good for good, bad in zip(goods, bads, strict=True))
    return SideFigures(
        pairs=len(pairs),
        words=round(fmean(sum(token[0].isalnum() for token in tokens_of(pair.good)) for pair in pairs), 2),
        subwords=round(fmean(goods), 2),
        difference=round(fmean(differences.elements()), 3),
        differences=dict(sorted(differences.items())),
    )


def self_bleu(sentences: Sequence[Sequence[str]]) -> float:
    """Mean BLEU-4 of each sentence with all others as references, 0-1; n-grams that no other has count as 0.1.

    The most that another sentence has of each n-gram is counted once for all, so it takes time as the text is long.
    """
    if len(sentences) < 2:
        return 0.0
    tops: list[dict[tuple[str, ...], list[int]]] = [{} for _ in range(_LONGEST_NGRAM)]
    counts = [[Counter(_ngrams(sentence, size + 1)) for size in range(_LONGEST_NGRAM)] for sentence in sentences]
    for own in counts:
        for size, counter in enumerate(own):
            for ngram, count in counter.items():
                best = tops[size].setdefault(ngram, [0, 0])
                best[:] = sorted((*best, count))[1:]
    lengths = Counter(map(len, sentences))
    return fmean(_bleu(own, tops, len(sentence), lengths) for own, sentence in zip(counts, sentences, strict=True))


def _bleu(
    own: Sequence[Counter[tuple[str, ...]]],
    tops: Sequence[dict[tuple[str, ...], list[int]]],
    length: int,
    lengths: Counter[int],
) -> float:
    precisions = []
    for counter, top in zip(own, tops, strict=True):
        total = counter.total()
        if total:
            # Where a sentence itself has the highest count, the second highest is that of the others.
            others = {
                ngram: top[ngram][0] if top[ngram][1] == count else top[ngram][1] for ngram, count in counter.items()
            }
            matched = sum(min(count, others[ngram]) for ngram, count in counter.items())
            precisions.append(max(matched, 0.1) / total)
    references = lengths - Counter([length])
    closest = min(references, key=lambda other: (abs(other - length), other))
    brevity = min(0.0, 1 - closest / length)
    return math.exp(brevity + fmean(map(math.log, precisions)))


def near_duplicates(sentences: Sequence[Sequence[str]]) -> float:
    """The share of sentences that differ from another one in a single word."""
    frames = Counter(frame for sentence in sentences for frame in _with_gap(sentence))
    return fmean(any(frames[frame] > 1 for frame in _with_gap(sentence)) for sentence in sentences)


def _with_gap(sentence: Sequence[str]) -> Iterator[tuple[str, ...]]:
    for index in range(len(sentence)):
        yield (*sentence[:index], "", *sentence[index + 1 :])


def _ngrams(sentence: Sequence[str], size: int) -> Iterator[tuple[str, ...]]:
    return (tuple(sentence[start : start + size]) for start in range(len(sentence) - size + 1))
