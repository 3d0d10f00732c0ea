"""The numbers of a rule's grown pairs: how varied their words are, and whether lengths moved."""

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean

from pairwright.core.errors import counted
from pairwright.core.records import Augmentation, Candidate, Record
from pairwright.core.text import words
from pairwright.growth.augment.growth import CountSubwords


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

    before      of the seeds, each counted once for every pair that it grew into; `after` of those pairs
    lemmas      different new lemmas; `most_used` the share of pairs with the most frequent one, 0-1
    type_token  different words of the good sentences by their words, 0-1
    """

    rule_id: str
    code: str
    seeds: int
    before: SideFigures
    after: SideFigures
    lemmas: int
    most_used: float
    type_token: float

    @property
    def in_words(self) -> str:
        before, after = self.before, self.after
        return (
            f"{counted(self.seeds, 'seed')} to {counted(after.pairs, 'pair')}; {counted(self.lemmas, 'new lemma')}, "
            f"type-token ratio {self.type_token:.3f}; subwords of a good sentence: {after.subwords:.1f} "
            f"(seeds {before.subwords:.1f}), of the bad one {after.difference:+.2f} (seeds {before.difference:+.2f})"
        )


def rule_figures(
    rule_id: str, code: str, seeds: Mapping[str, Candidate], pairs: Sequence[Candidate], subwords: CountSubwords
) -> RuleFigures:
    """The numbers of a rule's pairs, at least one, and of their seeds, by id."""
    parents = [seeds[pair.parent_id] for pair in pairs if pair.parent_id is not None and pair.parent_id in seeds]
    grown = [pair.derivation for pair in pairs if isinstance(pair.derivation, Augmentation)]
    lemmas = Counter(item.lemma for derivation in grown for item in derivation.replacements if not item.agrees)
    listed = [word.casefold() for pair in pairs for word in words(pair.good)]
    return RuleFigures(
        rule_id=rule_id,
        code=code,
        seeds=len({parent.id for parent in parents}),
        before=_side(parents, subwords),
        after=_side(pairs, subwords),
        lemmas=len(lemmas),
        most_used=round(max(lemmas.values(), default=0) / len(pairs), 4),
        type_token=round(len(set(listed)) / len(listed), 4),
    )


def _side(pairs: Sequence[Candidate], subwords: CountSubwords) -> SideFigures:
    counts = subwords([text for pair in pairs for text in (pair.good, pair.bad)])
    goods, bads = counts[::2], counts[1::2]
    differences = Counter(bad - good for good, bad in zip(goods, bads, strict=True))
    return SideFigures(
        pairs=len(pairs),
        words=round(fmean(len(words(pair.good)) for pair in pairs), 2),
        subwords=round(fmean(goods), 2),
        difference=round(fmean(differences.elements()), 3),
        differences=dict(sorted(differences.items())),
    )
