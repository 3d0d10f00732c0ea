"""What treebanks give: pairs by contrasts, corrupted sentences."""
