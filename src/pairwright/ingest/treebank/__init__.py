"""Treebanks in CoNLL-U: a block for each sentence, with its dependency tree."""
