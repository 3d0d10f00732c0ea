"""Analyses and inflects words with Hunspell dictionaries, UniMorph tables and the words of treebanks."""

from pairwright.morphology.analyser import Analyser, analyser_of, lemmatiser_of
from pairwright.morphology.lexicon import AnalysedForm, Analysis, Lexicon

__all__ = ["AnalysedForm", "Analyser", "Analysis", "Lexicon", "analyser_of", "lemmatiser_of"]
