"""Sentence log-probabilities from a server: any OpenAI-compatible completions endpoint that gives those of a prompt.

Three dialects are tried in turn with a short text: `prompt_logprobs` (vLLM; only with BOS, as the first has no name),
`echo` with `logprobs` and no new token, and the same with one new token, which is left out again. A server that speaks
none of them can't score. Its tokenizer decides on BOS; whether it puts one is read from the answer and stands in the
record. A score counts where the tokens that came back spell the text that was sent.
"""

import json
import math
import os
import re
import time
import unicodedata
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from importlib import metadata
from typing import Any
from urllib.parse import urlsplit

from pairwright.core.config import ScoreSettings
from pairwright.core.errors import ModelError, one_line
from pairwright.core.records.evaluation import ModelInfo
from pairwright.evaluate.scoring.inputs.encoding import policy_of, policy_text, refuse
from pairwright.evaluate.scoring.inputs.outcomes import SentenceOutcome, SentenceScore, Unscorable
from pairwright.models.chat.answers import Fault, UnreadableError, read_object
from pairwright.models.load.settings import ModelSettings

PROBE = "The cat sat on the mat."
TIMEOUT = 120.0
# Of a list of models; and of an answer for each byte of its text: a token, twice, with its log-probability.
MOST_BYTES, MOST_BYTES_PER_BYTE = 1_000_000, 1_000
ATTEMPTS = 4
# Sentences a request, where the server takes several prompts.
TOGETHER = 16
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


class ServedScorer:
    """Scores sentences by asking a server. Raises ModelError where it can't be reached or can't score."""

    batch_tokens = 0
    unigrams: str | None = None

    def __init__(self, model: ModelSettings, settings: ScoreSettings, at_once: int = 8) -> None:
        self._at_once = at_once  # requests
        self.policy = policy_of(settings, "causal")
        name = model.label or model.model or model.name
        refuse(self.policy, name, "a served model", ("bos", "first_token", "chat", "eos", "prefix"))
        for setting in ("words", "unigrams"):
            if getattr(settings, setting):
                raise ModelError(f"{name}: score.{setting} needs the tokenizer, which a server keeps; leave it out")
        key = os.environ.get(model.key_env) if model.key_env else None
        if model.key_env and not key:
            raise ModelError(f"{name}: the key is missing; set {model.key_env} in the environment")
        if key and not (key.isascii() and key.isprintable()):
            raise ModelError(f"{name}: the key has characters that no key can have; check {model.key_env}")
        from pairwright.models.chat.http import HTTPServer

        self._address, self._name = model.name.rstrip("/"), name
        self._http = HTTPServer(self._address, key or "", seconds=TIMEOUT, most_bytes=MOST_BYTES)
        self._model = model.model or self._only_model(name)
        self._name = model.label or self._model
        self.route, tokens = self._dialect()
        # What follows the first token is all of the probe where the server put one before it.
        self._bos = _spell(tokens[1:], PROBE)
        self.first_token_scored = self._bos or tokens[0][1] is not None
        self.info = self._info(model)
        self.batch_size = TOGETHER if self._tokens_of([PROBE, PROBE.upper()]) else 1

    def score(self, sentences: Sequence[str]) -> Iterator[SentenceOutcome]:
        """As `Scorer.score`. Raises ModelError where the server stops answering."""
        return (outcome for _, outcome in self.score_parts([sentences]))

    def score_parts(self, parts: Iterable[Sequence[str]]) -> Iterator[tuple[int, SentenceOutcome]]:
        """As `Scorer.score_parts`, with several requests at a time, and several sentences a request where it can be."""
        running = deque[tuple[int, Future[list[SentenceOutcome]]]]()
        pool = ThreadPoolExecutor(self._at_once)
        try:
            for part, sentences in enumerate(parts):
                distinct = list(dict.fromkeys(sentences))
                for start in range(0, len(distinct), self.batch_size):
                    if len(running) >= 2 * self._at_once:
                        number, future = running.popleft()
                        yield from ((number, outcome) for outcome in future.result())
                    chunk = distinct[start : start + self.batch_size]
                    running.append((part, pool.submit(self._score_together, chunk)))
            for number, future in running:
                yield from ((number, outcome) for outcome in future.result())
        finally:
            pool.shutdown(cancel_futures=True)

    def _score_together(self, sentences: list[str]) -> list[SentenceOutcome]:
        """By one request, where the server answers it whole; else by one for each sentence."""
        texts = [policy_text(sentence, self.policy) for sentence in sentences]
        found = self._tokens_of(texts) if len(texts) > 1 and all(texts) else None
        if found is None:
            return list(map(self._score, sentences, texts))
        return [self._outcome(*each) for each in zip(sentences, texts, found, strict=True)]

    def _tokens_of(self, texts: list[str]) -> list[list[Token]] | None:
        """The tokens of several prompts by one request; None where the server does not give them all as they are."""
        try:
            status, answer = self._post(self.route, texts)
            choices = sorted(answer["choices"], key=lambda choice: int(choice["index"]))
            usage = {"completion_tokens": answer["usage"]["completion_tokens"] / len(texts)}
            answers = [{"choices": [choice], "usage": usage} for choice in choices]
        except (ModelError, KeyError, TypeError, ValueError):
            return None
        found = [tokens for one in answers if (tokens := _prompt_tokens(one, self.route))]
        if status != 200 or len(answers) != len(texts) or len(found) != len(texts):
            return None
        fits = all(_spell(tokens[self._bos :], text) for tokens, text in zip(found, texts, strict=True))
        return found if fits else None

    def _score(self, sentence: str, text: str) -> SentenceOutcome:
        if not text:
            return Unscorable(sentence, "no token can be scored: the sentence has none")
        status, answer = self._post(self.route, text)
        if status == 400:
            return Unscorable(sentence, f"the server refuses the sentence: {self._reason(answer)}")
        if status != 200:
            raise ModelError(f"{self._name}: the server answers {status}: {self._reason(answer)}; look at its log")
        return self._outcome(sentence, text, _prompt_tokens(answer, self.route))

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

    def _only_model(self, name: str) -> str:
        """The model that the server lists, where it is only one."""
        status, answer = self._ask("GET", "models")
        entries = answer.get("data") if status == 200 else None
        names = [entry.get("id") for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
        if len(names) == 1 and isinstance(names[0], str) and names[0] == self._clean(names[0]):
            return names[0]
        listed = (
            f"lists {self._clean(', '.join(map(str, names[:5])))}"
            if names
            else f"answers {status} to a list of its models"
        )
        raise ModelError(f"{name}: say which model of the server, by model = in models.toml; it {listed}")

    def _dialect(self) -> tuple[str, list[Token]]:
        reasons = []
        for dialect in DIALECTS:
            status, answer = self._post(dialect, PROBE)
            tokens = _prompt_tokens(answer, dialect) if status == 200 else None
            if tokens is not None and any(_spell(tokens[n_before:], PROBE) for n_before in (0, 1)):
                return dialect, tokens
            reason = self._another_text(tokens) if tokens else "answered without them"
            reasons.append(f"{dialect}: {reason if status == 200 else self._reason(answer)}")
        raise ModelError(
            f"{self._name}: the server does not give the log-probabilities of a prompt, so it can't score sentences "
            f"({'; '.join(reasons)}); use vLLM, or load the model here"
        )

    def _another_text(self, tokens: list[Token]) -> str:
        spelled = self._clean(next(_spellings([token for token, _ in tokens])))
        return f"{self._address} scored another text than it was sent: {len(tokens)} tokens, {spelled!r}"

    def _post(self, dialect: str, prompt: str | list[str]) -> tuple[int, dict[str, Any]]:
        body = {"model": self._model, "prompt": prompt, "temperature": 0, **DIALECTS[dialect]}
        n_bytes = sum(100 + len(text.encode()) for text in ([prompt] if isinstance(prompt, str) else prompt))
        return self._ask("POST", "completions", body, MOST_BYTES_PER_BYTE * n_bytes)

    def _ask(
        self, method: str, path: str, body: dict[str, Any] | None = None, most_bytes: int = MOST_BYTES
    ) -> tuple[int, dict[str, Any]]:
        """Status and answer of a request; errors that may pass are tried again."""
        content = b"" if body is None else json.dumps(body).encode()
        for attempt in range(ATTEMPTS):
            lasting = False
            try:
                response = self._http.request(method, path, content, most_bytes=most_bytes)
            except Fault as fault:
                reason, lasting = self._clean(fault), fault.lasting
            else:
                status, answer = response.status, _read(response.content)
                # 501: an option that the server does not know stays unknown; the caller decides what that means.
                if status == 501 or (status != 429 and status < 500):
                    return status, answer
                reason = f"it answers {status}: {self._reason(answer)}"
            if lasting:
                break
            if attempt + 1 < ATTEMPTS:
                time.sleep(0.5 * 2**attempt)
        raise ModelError(
            f"{self._address}: the server can't be used for {self._name}: {reason}; start it, or check the address"
        )

    def _reason(self, answer: dict[str, Any]) -> str:
        error = answer.get("error", answer.get("message", "no reason given"))
        return self._clean(error.get("message", error) if isinstance(error, dict) else error)

    def _clean(self, said: object) -> str:
        return one_line(self._http.mask.text(str(said)))

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


def _read(content: bytes) -> dict[str, Any]:
    with suppress(UnreadableError):
        return read_object(content)
    return {}


def _prompt_tokens(answer: dict[str, Any], dialect: str) -> list[Token] | None:
    """The tokens of the prompt with their log-probabilities; None where the answer does not have them all."""
    try:
        choice = answer["choices"][0]
        tokens = _of_vllm(choice) if dialect == "prompt_logprobs" else _of_echo(choice)
        if dialect == "echo and one token":
            n_new = answer["usage"]["completion_tokens"]
            if n_new not in (0, 1):
                return None  # also where it is a share of what several prompts got
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
