"""Commands that show what stands in a workspace."""
