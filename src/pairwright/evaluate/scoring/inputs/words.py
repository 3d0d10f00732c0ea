"""The log-probabilities of words, from those of their tokens.

Most tokenizers put the space before a word into its first token. So a word's tokens say that a word begins, and not
that it ends. Pimentel and Meister (2024) and Oh and Schuler (2024) count the space to the word before:

    log p(word) = sum of its tokens + log B(after the word) - log B(before the word)

B is the probability that the next token begins with white space or ends the text. The first word of a text begins
without a space, so nothing is subtracted there.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pairwright.core.records.evaluation import WordScore
from pairwright.evaluate.scoring.inputs.encoding import EncodedSentence

if TYPE_CHECKING:
    from torch import Tensor

# How tokenizers write a space or a line break at the start of a token: byte-level BPE, SentencePiece, plain.
SPACES = ("Ġ", "Ċ", "▁", " ", "\n", "\t")


class WordReader:
    """Groups tokens into words, the runs of characters between white space.

    vocabulary_size  of the model, which may have more rows than the tokenizer has tokens
    """

    def __init__(self, tokenizer: Any, vocabulary_size: int) -> None:
        self._begins = [False] * vocabulary_size
        for token, number in tokenizer.get_vocab().items():
            if number < vocabulary_size:
                self._begins[number] = token.startswith(SPACES)
        self._marks_words = any(self._begins)
        if tokenizer.eos_token_id is not None and tokenizer.eos_token_id < vocabulary_size:
            self._begins[tokenizer.eos_token_id] = True
        self._on_device: Tensor | None = None

    def begins_word(self, device: Any) -> "Tensor | None":
        """For each token of the vocabulary whether it ends the word before it; None where the tokenizer marks none."""
        import torch

        if self._marks_words and self._on_device is None:
            self._on_device = torch.tensor(self._begins, device=device)
        return self._on_device

    def words(
        self, item: EncodedSentence, logprobs: Sequence[float], boundaries: Sequence[float] | None
    ) -> tuple[WordScore, ...] | None:
        """The words of a sentence with their log-probabilities in nats; None where the tokenizer gives no spans.

        A first word whose first token was not scored is left out.

        boundaries  log B before each scored token and after the last one; None where it is unknown
        """
        if item.spans is None:
            return None
        grouped = _by_word(item.text, item.spans)
        # Where the first token is not scored, the rest of its word is no word.
        if grouped and item.spans[grouped[0][1][0]][0] > grouped[0][0][0]:
            grouped = grouped[1:]
        words = []
        for (start, end), tokens in grouped:
            total, corrected = sum(logprobs[token] for token in tokens), None
            if boundaries is not None:
                before = 0.0 if start == 0 else boundaries[tokens[0]]
                corrected = total + boundaries[tokens[-1] + 1] - before
            text = item.text[start:end]
            words.append(WordScore(text=text, start=start, end=end, sum_logprob=total, corrected_logprob=corrected))
        return tuple(words)


def _by_word(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[tuple[int, int], list[int]]]:
    """The spans of the words of a text, each with the indices of its tokens.

    A token belongs to the word of its first character that is no space. One of spaces alone belongs to the word after
    it, at the end of the text to the last word. The token that ends the text belongs to no word.
    """
    grouped: list[tuple[tuple[int, int], list[int]]] = [(match.span(), []) for match in re.finditer(r"\S+", text)]
    place = 0
    for number, (start, end) in enumerate(spans):
        if start == end == len(text) or not grouped:
            continue
        first = next((at for at in range(start, end) if not text[at].isspace()), end)
        while place < len(grouped) - 1 and first >= grouped[place][0][1]:
            place += 1
        grouped[place][1].append(number)
    return [word for word in grouped if word[1]]
