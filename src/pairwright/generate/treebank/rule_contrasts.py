"""Which contrasts find the pairs of a treebank's rules: those declared, and what a grammarian's rule amounts to."""

from collections.abc import Iterable

from pairwright.contrasts import DeclaredContrast, WordConditions, WordPattern
from pairwright.generate import TREEBANK_PAIRS
from pairwright.generate.treebank.candidates import RuleContrast
from pairwright.languages.features import parse_demand, show_features
from pairwright.languages.linguistics.headwords import named_words
from pairwright.records import Rejection, Rule

# What may stand beside a governed noun and changes the case that it needs.
_WITHOUT = ("conj", "cc", "appos", "nummod", "flat")
_AGREEING = ("amod", "det", "acl")


def rule_contrasts(
    rules: Iterable[Rule], declared: Iterable[DeclaredContrast]
) -> tuple[list[RuleContrast], list[Rejection]]:
    """The rules with their contrasts, and a Rejection for each rule of another source that can't be run over trees."""
    by_name = {contrast.name: contrast for contrast in declared}
    matched, rejected = list[RuleContrast](), list[Rejection]()
    for rule in rules:
        if rule.declared_in:
            if contrast := by_name.get(rule.code):
                matched.append(RuleContrast(rule, contrast))
            continue
        contrasts, reason = _government(rule)
        matched += [RuleContrast(rule, contrast) for contrast in contrasts]
        if not contrasts:
            rejected.append(_rejection(rule, reason))
    return matched, rejected


def _government(rule: Rule) -> tuple[list[DeclaredContrast], str]:
    """A rule that demands one case of what its headwords govern, as verbs or as adpositions; else why it is none."""
    try:
        demand = parse_demand(rule.contrast.features if rule.contrast else ())
    except ValueError as fault:
        return [], str(fault)
    good, bad = show_features(demand.good), show_features(demand.bad)
    if not demand.good or not demand.bad or {name for name, _ in demand.good | demand.bad} != {"Case"}:
        return [], "it does not demand one case against another, as good: Case=Gen and bad: Case=Nom do"
    entries = (example.entry for example in rule.examples if example.entry and not example.exception)
    headwords = tuple(dict.fromkeys(word for entry in entries for word in named_words(entry)))
    if not headwords:
        return [], "it has no headwords by which its sentences could be found"
    noun = WordPattern(upos=("NOUN",), feats=(good,), not_=WordConditions(feats=("Abbr=Yes",)), not_read_as=(good,))
    governed = noun.model_copy(update={"head": "governor", "deprel": ("nsubj", "obj", "iobj", "obl")})
    verb = {"governor": WordPattern(upos=("VERB", "AUX"), lemma=headwords), "noun": governed}
    adposition = {"noun": noun, "governor": WordPattern(lemma=headwords, deprel=("case",), head="noun")}
    without = (WordPattern(head="noun", deprel=_WITHOUT),)
    bare = (*without, WordPattern(head="noun", deprel=("case",)))
    return [
        DeclaredContrast(
            name=f"government-{name}",
            title={"en": rule.title},
            phenomenon=rule.phenomenon,
            description={"en": rule.description},
            words=words,
            without=absent,
            change="noun",
            from_=(good,),
            to=(bad,),
            follow=_AGREEING,
        )
        for name, words, absent in (("verb", verb, bare), ("adposition", adposition, without))
    ], ""


def _rejection(rule: Rule, reason: str) -> Rejection:
    return Rejection(
        stage=TREEBANK_PAIRS.name,
        source_id=rule.source_id,
        reason=f"a rule of {rule.taken_from} can't be run over trees: {reason}",
        text=f"{rule.code} {rule.title}".strip(),
        file=rule.evidence[0].file if rule.evidence else "",
        page=rule.page,
        line=rule.line,
    )
