"""Sentence log-probabilities from a server: any OpenAI-compatible completions endpoint that gives those of a prompt.

Three dialects are tried in turn with a short text: `prompt_logprobs` (vLLM; only with BOS, as the first has no name),
`echo` with `logprobs` and no new token, and the same with one new token, which is left out again. A server that speaks
none of them can't score. Its tokenizer decides on BOS; whether it puts one is read from the answer and stands in the
record. A score counts where the tokens that came back spell the text that was sent.
"""

import math
import re
import unicodedata
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from importlib import metadata
from typing import Any
from urllib.parse import urlsplit

from pairwright.core.config import LLMSettings, ScoreSettings
from pairwright.core.errors import LLMError, ModelError, one_line
from pairwright.core.records.evaluation import ModelInfo
from pairwright.evaluate.scoring.inputs import (
    SentenceOutcome,
    SentenceScore,
    Unscorable,
    policy_of,
    policy_text,
    refuse,
)
from pairwright.models.chat.answers import Fault, UnreadableError, read_object
from pairwright.models.chat.server import Server
from pairwright.models.load.settings import KEY, ModelSettings

PROBE = "The cat sat on the mat."
TIMEOUT = 120.0
# Of an answer for each byte of its text: a token, twice, with its log-probability.
MOST_BYTES_PER_BYTE = 1_000
ATTEMPTS = 4
# In nats; rounding may put a certain token a little above zero.
LOWEST, HIGHEST = -1e6, 1e-3
DIALECTS: dict[str, dict[str, Any]] = {
    "prompt_logprobs": {"max_tokens": 1, "prompt_logprobs": 0},
    "echo": {"max_tokens": 0, "echo": True, "logprobs": 1},
    "echo and one token": {"max_tokens": 1, "echo": True, "logprobs": 1},
}
# A token of the prompt and its log-probability, None where the server gives none.
Token = tuple[str, float | None]
_NAMED_BYTE = re.compile(rb"(?:bytes: ?)?(?:\\x([0-9a-f]{2})|<0x([0-9A-F]{2})>)")
# How byte-level tokenizers write bytes, each as a letter.
_LETTERS = {*range(33, 127), *range(161, 173), *range(174, 256)}
_BYTES = {chr(byte): byte for byte in _LETTERS} | {
    chr(256 + number): byte for number, byte in enumerate(sorted(set(range(256)) - _LETTERS))
}


class Declined(Exception):
    """The server does not do what it is asked for, and says why."""


class ServedScorer:
    """Scores sentences by asking a server. Raises ModelError where it can't be reached or can't score."""

    batch_size, batch_tokens = 1, 0
    unigrams: str | None = None

    def __init__(self, model: ModelSettings, settings: ScoreSettings, at_once: int = 8) -> None:
        self._at_once = at_once  # requests
        self.policy = policy_of(settings, "causal")
        name = model.label or model.model or model.name
        refuse(self.policy, name, "a served model", ("bos", "first_token", "chat", "eos", "prefix"))
        for setting in ("tokens", "unigrams"):
            if getattr(settings, setting):
                raise ModelError(f"{name}: score.{setting} needs the tokenizer, which a server keeps; leave it out")
        asked = LLMSettings(
            base_url=model.name.rstrip("/"), key_env=model.key_env or KEY, timeout=TIMEOUT, retries=ATTEMPTS - 1
        )
        self._server = Server(asked, needs_key=model.key_env is not None)
        self._address, self._name = self._server.base_url, name
        with self._reachable():
            self._model = model.model or self._server.only_model()
        self._name = model.label or self._model
        self.route, tokens = self._dialect()
        # What follows the first token is all of the probe where the server put one before it.
        self._bos = _spell(tokens[1:], PROBE)
        self.first_token_scored = self._bos or tokens[0][1] is not None
        self.info = self._info(model)

    def score(self, sentences: Sequence[str]) -> Iterator[SentenceOutcome]:
        """As `Scorer.score`. Raises ModelError where the server stops answering."""
        return (outcome for _, outcome in self.score_parts([sentences]))

    def score_parts(self, parts: Iterable[Sequence[str]]) -> Iterator[tuple[int, SentenceOutcome]]:
        """As `Scorer.score_parts`, with several requests at a time."""
        running = deque[tuple[int, Future[SentenceOutcome]]]()
        pool = ThreadPoolExecutor(self._at_once)
        try:
            for part, sentences in enumerate(parts):
                for sentence in dict.fromkeys(sentences):
                    if len(running) >= 2 * self._at_once:
                        number, future = running.popleft()
                        yield number, future.result()
                    running.append((part, pool.submit(self._score, sentence)))
            for number, future in running:
                yield number, future.result()
        finally:
            pool.shutdown(cancel_futures=True)

    def _score(self, sentence: str) -> SentenceOutcome:
        if not (text := policy_text(sentence, self.policy)):
            return Unscorable(sentence, "no token can be scored: the sentence has none")
        try:
            return self._outcome(sentence, text, _prompt_tokens(self._post(self.route, text), self.route))
        except Declined as reason:
            return Unscorable(sentence, f"the server refuses the sentence: {reason}")

    def _outcome(self, sentence: str, text: str, tokens: list[Token] | None) -> SentenceOutcome:
        if tokens is None:
            return Unscorable(sentence, "the server's answer lacks the log-probabilities of the prompt")
        if not _spell(tokens[self._bos :], text):
            return Unscorable(sentence, f"{self._name}: {self._another_text(tokens)}")
        unscored = self._bos or tokens[0][1] is None
        logprobs = [value for _, value in tokens[unscored:]]
        if not logprobs or any(value is None or not LOWEST <= value <= HIGHEST for value in logprobs):
            return Unscorable(sentence, "the server gave no possible log-probability for every token")
        return SentenceScore(
            sentence=sentence,
            n_tokens=len(logprobs),
            n_bytes=len(text.encode()),
            n_chars=len(text),
            sum_logprob=math.fsum(value for value in logprobs if value is not None),
        )

    def _dialect(self) -> tuple[str, list[Token]]:
        reasons = []
        for dialect in DIALECTS:
            try:
                tokens = _prompt_tokens(self._post(dialect, PROBE), dialect)
            except Declined as reason:
                reasons.append(f"{dialect}: {reason}")
                continue
            if tokens is not None and any(_spell(tokens[n_before:], PROBE) for n_before in (0, 1)):
                return dialect, tokens
            reasons.append(f"{dialect}: {self._another_text(tokens) if tokens else 'answered without them'}")
        raise ModelError(
            f"{self._name}: the server does not give the log-probabilities of a prompt, so it can't score sentences "
            f"({'; '.join(reasons)}); use vLLM, or load the model here"
        )

    def _another_text(self, tokens: list[Token]) -> str:
        spelled = one_line(next(_spellings([token for token, _ in tokens])))
        return f"{self._address} scored another text than it was sent: {len(tokens)} tokens, {spelled!r}"

    def _post(self, dialect: str, prompt: str) -> dict[str, Any]:
        """The server's answer, empty where it is no object. Raises Declined, and ModelError where it can't be used."""
        body = {"model": self._model, "prompt": prompt, "temperature": 0, **DIALECTS[dialect]}
        most_bytes = MOST_BYTES_PER_BYTE * (100 + len(prompt.encode()))
        with self._reachable():
            content = self._server.persist(lambda: self._server.complete(body, "completions", most_bytes=most_bytes))
        with suppress(UnreadableError):
            return read_object(content)
        return {}

    @contextmanager
    def _reachable(self) -> Iterator[None]:
        try:
            yield
        except Fault as fault:
            # An option that the server does not know stays unknown; the caller decides what that means.
            if not (fault.billed or fault.passing) or fault.message.startswith("HTTP 501"):
                raise Declined(str(fault)) from None
            raise ModelError(f"{self._name}: the server can't be used: {self._address}: {fault}") from None
        except LLMError as fault:
            raise ModelError(f"{self._name}: the server can't be used: {fault}") from None

    def _info(self, model: ModelSettings) -> ModelInfo:
        address = urlsplit(model.name)
        return ModelInfo(
            name=self._name,
            requested=f"{self._address} {self._model}",
            slug=model.served_slug(self._model),
            architecture="served",
            n_parameters=0,
            revision=None,
            weights_sha256=None,
            tokenizer_sha256="",
            dtype="server",
            device=address.netloc,
            context_length=None,
            vocabulary_size=0,
            bos_token_id=None,
            packages={"pairwright": metadata.version("pairwright")},
            torch_threads=0,
            hardware=f"server {address.netloc}",
        )


def _prompt_tokens(answer: dict[str, Any], dialect: str) -> list[Token] | None:
    """The tokens of the prompt with their log-probabilities; None where the answer does not have them all."""
    try:
        choice = answer["choices"][0]
        tokens = _of_vllm(choice) if dialect == "prompt_logprobs" else _of_echo(choice)
        if dialect == "echo and one token":
            n_new = answer["usage"]["completion_tokens"]
            if n_new not in (0, 1):
                return None
            tokens = tokens[: len(tokens) - int(n_new)]
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        return None
    return tokens if tokens and all(value is not None for _, value in tokens[1:]) else None


def _of_vllm(choice: dict[str, Any]) -> list[Token]:
    """vLLM gives for each token a table by token id, in which the prompt's own token comes first."""
    tokens: list[Token] = []
    for entry in choice["prompt_logprobs"]:
        own: dict[str, Any] = {} if entry is None else next(iter(entry.values()), {})
        tokens.append((str(own.get("decoded_token") or ""), _logprob(own.get("logprob"))))
    return tokens


def _of_echo(choice: dict[str, Any]) -> list[Token]:
    logprobs = choice["logprobs"]
    pairs = zip(logprobs["tokens"], logprobs["token_logprobs"], strict=True)
    return [(str(token), _logprob(value)) for token, value in pairs]


def _logprob(value: object) -> float | None:
    """A log-probability; None where there is none. Raises TypeError for what is no number."""
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
        raise TypeError
    return None if value is None else float(value)


def _spell(tokens: Sequence[Token], text: str) -> bool:
    """Whether tokens are a text, but for its spaces, which servers leave out, and for compatible characters."""
    # A byte is at most one token, and one more may stand for the space before the text.
    spellings = _spellings([token for token, _ in tokens]) if len(tokens) <= len(text.encode()) + 1 else ()
    return any(_matches(bare(told), bare(text)) for told in spellings for bare in (_bare, _compatible))


def _spellings(tokens: Sequence[str]) -> Iterator[str]:
    """What tokens spell: as they are, with bytes by name (`bytes:\\xc4`, `<0xC4>`), and with bytes as letters."""
    plain = "".join(tokens).encode("utf-8", "surrogatepass")
    yield plain.decode("utf-8", "replace")
    with suppress(UnicodeDecodeError):
        yield _NAMED_BYTE.sub(lambda byte: bytes.fromhex((byte[1] or byte[2]).decode()), plain).decode()
    with suppress(KeyError, UnicodeDecodeError):
        yield bytes(_BYTES[letter] for token in tokens for letter in token).decode()


def _bare(text: str) -> str:
    return "".join(text.replace("\u2581", " ").split())


def _compatible(text: str) -> str:
    """As the tokenizers that normalise write it."""
    return unicodedata.normalize("NFKC", _bare(text))


def _matches(told: str, text: str) -> bool:
    """Whether a text is told, where each of its characters beyond ASCII may be one to four replacement characters."""
    if len(told) > len(text.encode()):
        return False
    in_ascii = [*(place for place, letter in enumerate(text) if letter.isascii()), len(text)]
    ends = {0}
    for run in re.findall("\ufffd+|[^\ufffd]+", told):
        if run[0] == "\ufffd":
            stops = {end: min(end + len(run), in_ascii[bisect_left(in_ascii, end)]) for end in ends}
            ends = {place for end, stop in stops.items() for place in range(end + -(-len(run) // 4), stop + 1)}
        else:
            ends = {end + len(run) for end in ends if text.startswith(run, end)}
    return len(text) in ends
