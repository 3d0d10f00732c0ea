"""ScaLA (Nielsen 2023, ScandEval): sentences of a treebank lose a word, or two neighbours change places."""
