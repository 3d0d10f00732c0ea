"""Rule -> Candidate: minimal pairs of the source's examples, language models, treebanks, seeds, and corrections."""

from pairwright.core.records import Stage

LLM_PAIRS = Stage(name="llm_pairs", version=7)
TREEBANK_PAIRS = Stage(name="treebank_pairs", version=5)
NO_MATCH = "no match: "
"""Begins the reason of a Rejection for a contrast that fits no words of a treebank; its text names the contrast."""
PROPOSED = Stage(name="proposed", version=2)
AUGMENTED = Stage(name="augmented", version=3)
PARADIGMS = Stage(name="paradigms", version=2)
DERIVED = (TREEBANK_PAIRS, PROPOSED, AUGMENTED, PARADIGMS)
"""The stages of pairs that carry a `derivation`."""
STAGE = Stage(name="candidates", version=6)
