"""What a step says, kept."""

from pairwright.pipeline.context import Silent


class Said(Silent):
    """A reporter that keeps the lines."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, label: str, text: str) -> None:
        self.lines.append(f"{label:<10} {text}")
