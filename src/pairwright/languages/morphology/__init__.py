"""Analyses and inflects words with dictionaries, inflection tables, finite-state transducers and treebanks."""

from pairwright.languages.morphology.analyser import Analyser, analyser_of
from pairwright.languages.morphology.lexicon import AnalysedForm, Analysis, Lexicon

__all__ = ["AnalysedForm", "Analyser", "Analysis", "Lexicon", "analyser_of"]
