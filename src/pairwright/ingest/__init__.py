"""Reads source documents into blocks, each with its place."""

from pairwright.records import Stage

STAGE = Stage(name="blocks", version=12)
