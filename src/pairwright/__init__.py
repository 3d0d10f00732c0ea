"""pairwright: from grammar books and official error lists to reviewed minimal-pair benchmarks and scored models."""

__version__ = "0.1.0"
