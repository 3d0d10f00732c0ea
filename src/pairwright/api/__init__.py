"""The Python API: what `import pairwright` gives, without a workspace."""
