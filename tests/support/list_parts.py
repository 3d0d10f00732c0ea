"""What is read of an error list, as tests compare it."""

from collections.abc import Callable

from pairwright.core.records import Example, Rejection, Rule

ReadList = Callable[..., tuple[list[Rule], list[Rejection]]]
"""The fixture `read_list`."""


def pairs_of(rules: list[Rule]) -> list[Example]:
    """The examples that have a bad sentence."""
    return [example for rule in rules for example in rule.examples if example.bad is not None]


def pairs(rules: list[Rule]) -> list[tuple[str, str]]:
    """(bad, good) in the order in which they come out."""
    return [(str(each.bad), each.good) for each in pairs_of(rules)]


def readings(rules: list[Rule]) -> list[tuple[str, str, bool]]:
    """(bad, good, whether it is a guess)."""
    return [(str(each.bad), each.good, each.uncertain) for each in pairs_of(rules)]
