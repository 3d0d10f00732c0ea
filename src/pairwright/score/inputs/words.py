"""The log-probabilities of words, from those of their tokens.

Most tokenizers put the space before a word into its first token, so a word's tokens say that a word begins, and not
that it ends. Pimentel and Meister (2024) and Oh and Schuler (2024) count the space to the word before:

    log p(word) = sum of its tokens + log B(after the word) - log B(before the word)

B is the probability that the next token begins with white space or ends the text. Nothing stands before the first word
of a text, which begins without a space, so nothing is taken off there.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pairwright.records.evaluation import WordScore
from pairwright.score.inputs.encoding import Encoded

if TYPE_CHECKING:
    from torch import Tensor

# How tokenizers write a space or a line break at the start of a token: byte-level BPE, SentencePiece, plain.
SPACES = ("Ġ", "Ċ", "▁", " ", "\n", "\t")


class WordReader:
    """Puts tokens together to words, the runs of characters between white space.

    vocabulary_size  of the model, which may have more rows than the tokenizer has tokens
    """

    def __init__(self, tokenizer: Any, vocabulary_size: int) -> None:
        self._begins = [False] * vocabulary_size
        for token, number in tokenizer.get_vocab().items():
            if number < vocabulary_size:
                self._begins[number] = token.startswith(SPACES)
        self.marks_words = any(self._begins)
        if tokenizer.eos_token_id is not None and tokenizer.eos_token_id < vocabulary_size:
            self._begins[tokenizer.eos_token_id] = True
        self._on_device: Tensor | None = None

    def begins_word(self, device: Any) -> "Tensor | None":
        """For each token of the vocabulary whether it ends the word before it; None where the tokenizer has no mark."""
        import torch

        if not self.marks_words:
            return None
        if self._on_device is None:
            self._on_device = torch.tensor(self._begins, device=device)
        return self._on_device

    def words(
        self, item: Encoded, logprobs: Sequence[float], masses: Sequence[float] | None
    ) -> tuple[WordScore, ...] | None:
        """The words of a sentence with their log-probabilities in nats; None where the tokenizer tells no spans.

        A first word whose first token was not scored is left out.

        masses  log B before each scored token and after the last one; None where it is not known
        """
        if item.spans is None:
            return None
        grouped = _by_word(item.text, item.spans)
        # Where the first token is not scored, what is left of its word is no word.
        if grouped and item.spans[grouped[0][1][0]][0] > grouped[0][0][0]:
            grouped = grouped[1:]
        found = []
        for (start, end), members in grouped:
            own = sum(logprobs[member] for member in members)
            corrected = None
            if masses is not None:
                before = 0.0 if start == 0 else masses[members[0]]
                corrected = own + masses[members[-1] + 1] - before
            found.append(
                WordScore(text=item.text[start:end], start=start, end=end, sum_logprob=own, corrected_logprob=corrected)
            )
        return tuple(found)


def _by_word(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[tuple[int, int], list[int]]]:
    """The spans of the words of a text, each with the numbers of its tokens.

    A token belongs to the word in which its first character that is no space stands; one of spaces alone to the word
    after it, and at the end of the text to the last. What stands for the end of the text belongs to no word.
    """
    words = _word_spans(text)
    found: list[tuple[tuple[int, int], list[int]]] = [(word, []) for word in words]
    place = 0
    for number, (start, end) in enumerate(spans):
        if start == end == len(text) or not words:
            continue
        first = next((at for at in range(start, end) if not text[at].isspace()), end)
        while place < len(words) - 1 and first >= words[place][1]:
            place += 1
        found[place][1].append(number)
    return [entry for entry in found if entry[1]]


def _word_spans(text: str) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    start: int | None = None
    for at, letter in enumerate([*text, " "]):
        if letter.isspace():
            if start is not None:
                spans.append((start, at))
            start = None
        elif start is None:
            start = at
    return spans
