"""Judgements of people and results of other tools on the same pairs."""
