"""Rules and minimal pairs of treebanks: by contrasts, words of their sentences change forms or places."""
