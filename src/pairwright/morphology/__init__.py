"""Words analysed and inflected: by Hunspell dictionaries with tags, UniMorph tables and the words of treebanks."""

from pairwright.morphology.analyser import Analyser, analyser_of, lemmatiser_of
from pairwright.morphology.lexicon import Analysis, Cell, Lexicon

__all__ = ["Analyser", "Analysis", "Cell", "Lexicon", "analyser_of", "lemmatiser_of"]
