"""The rules of a treebank: declared in a contrast file, or taken over from the source that states them."""

from collections.abc import Iterable, Iterator

from pairwright.contrasts import DeclaredContrast
from pairwright.core.ids import content_id
from pairwright.core.records import Contrast, Rule, Source
from pairwright.languages.features import Demand, parse_features, show_demand


def declared_rules(contrasts: Iterable[DeclaredContrast], source: Source) -> Iterator[Rule]:
    """A rule for each contrast; it quotes nothing, and names the file and line of its contrast."""
    for contrast in contrasts:
        yield Rule(
            id=content_id("rule", source.id, "contrast", contrast.name),
            source_id=source.id,
            code=contrast.name,
            title=contrast.title["en"],
            description=contrast.description["en"],
            category=contrast.phenomenon,
            phenomenon=contrast.phenomenon,
            block_ids=(),
            quote="",
            page=1,
            line=contrast.line,
            notes=contrast.literature,
            extracted_by="contrasts",
            contrast=Contrast(licence=contrast.licence, what=contrast.description["en"], features=_demand(contrast)),
            declared_in=contrast.file,
        )


def _demand(contrast: DeclaredContrast) -> tuple[str, ...]:
    """What is demanded of the changed words, where all pairs of the contrast show the same."""
    if len(contrast.from_) != 1 or len(contrast.to) != 1:
        return ()
    bad = parse_features(contrast.to[0])
    names = {name for name, _ in bad}
    good = frozenset(feature for feature in parse_features(contrast.from_[0]) if feature[0] in names)
    return show_demand(Demand(good, bad))


def taken_over(rules: Iterable[Rule], source: Source) -> Iterator[Rule]:
    """The rules of another source as those of a treebank whose sentences they are run over, with their ids."""
    return (rule.model_copy(update={"source_id": source.id, "taken_from": rule.source_id}) for rule in rules)
