"""Reads source documents into blocks, each with its place."""

from pairwright.core.records import Stage

STAGE = Stage(name="blocks", version=45)
