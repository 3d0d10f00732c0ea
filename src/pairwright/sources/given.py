"""Candidates from the pairs that the source itself gives."""

from collections.abc import Iterable, Iterator

from pairwright.core.ids import pair_id
from pairwright.core.records import Candidate, Rule


def source_candidates(rules: Iterable[Rule]) -> Iterator[Candidate]:
    """One candidate for each pair in the rules' examples, in their order, each pair of a rule once.

    The other readings of a sentence (further corrections, one correction of several) name the first as their parent.
    Examples without a bad sentence give no candidate. Neither do those of a rule that a language model stated: its
    pairs are also in the rule that starred examples make, and no model changes the id of that one. A rule that is only
    kept for decided pairs gives none. Features that are inferred from these very pairs demand nothing of them.
    """
    for rule in rules:
        seen: set[str] = set()
        parents: dict[tuple[str, str], str] = {}
        for example in () if rule.asked or rule.kept else rule.examples:
            if example.bad is None:
                continue
            identity = pair_id(rule.id, example.good, example.bad)
            place = (example.evidence.block_id, example.evidence.quote)
            if example.default:
                parents[place] = identity
            if identity in seen:
                continue
            seen.add(identity)
            parent = parents.get(place)
            yield Candidate(
                id=identity,
                rule_id=rule.id,
                source_id=rule.source_id,
                good=example.good,
                bad=example.bad,
                changes=example.changes,
                method="source",
                alternatives=example.alternatives,
                parent_id=None if parent == identity else parent,
                translation=example.translation,
                features=rule.contrast.features if rule.contrast and rule.contrast.support is None else (),
                segmentation=example.segmentation,
                gloss=example.gloss,
                uncertain=example.uncertain,
                exception=example.exception,
                phrase=example.phrase,
                entry=example.entry,
                note=example.note,
                evidence=example.evidence,
            )
