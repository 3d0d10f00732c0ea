"""A key goes into requests and nowhere else, in whatever form a server repeats it."""

import json
import urllib.parse
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llm_parts import GOOD, Connect, ask

from llm_server import Say, ScriptedServer, completion
from pairwright.core.config import Config
from pairwright.core.errors import ConfigError, LLMError, ModelError
from pairwright.core.ids import validate
from pairwright.models.chat.http import Mask
from pairwright.models.load.settings import ModelSettings

KEY = "sk-a/b+c=97f"
# What a bearer token is made of (RFC 6750).
KEYS = st.text("abcXYZ019-._~+/=", min_size=8, max_size=60)


def forms(key: str) -> list[str]:
    """A key as the messages of servers and libraries have it."""
    return [
        key,
        repr({"key": key}),
        json.dumps({"Authorization": f"Bearer {key}"}),
        f"https://host/v1?api_key={urllib.parse.quote(key, safe='')}&x=1",
        f"https://host/v1?api_key={urllib.parse.quote_plus(key)}",
        f"https://user:{urllib.parse.quote(key)}@host/v1",
    ]


def shows(text: str, key: str) -> bool:
    """Whether a text has a key in a form that anybody can undo."""
    plain = [text, urllib.parse.unquote_plus(text), urllib.parse.unquote(text)]
    return any(key in words for words in plain)


@given(key=KEYS)
def test_a_key_is_masked_in_every_form(key: str) -> None:
    mask = Mask(key)
    for said in forms(key):
        assert not shows(mask.text(said), key)
        assert mask.content(said.encode()).decode() == mask.text(said)


@pytest.mark.parametrize("key", ["", "x", "none", "EMPTY"])
def test_without_a_key_of_a_servers_length_nothing_is_masked(key: str) -> None:
    """Users of local servers write such words, and masking them would break answers."""
    assert Mask(key).text('{"licence": "none", "examples": []} EMPTY') == '{"licence": "none", "examples": []} EMPTY'


@pytest.mark.parametrize("number", range(len(forms(KEY))))
def test_a_key_that_a_server_repeats_is_in_no_answer_message_or_file(
    connect: Connect,
    server: ScriptedServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    number: int,
) -> None:
    caplog.set_level("DEBUG")
    monkeypatch.setenv("TEST_KEY", KEY)
    repeated = forms(KEY)[number]

    def script(body: dict[str, Any], nth: int) -> Say:
        asked = body["messages"][0]["content"]
        if "pair 1." in asked:
            return Say(json.dumps({"good": repeated, "bad": "x"}))
        if "pair 2." in asked:
            return Say(raw=f"{{{repeated}")
        if "pair 3." in asked:
            return Say(status=400, raw=json.dumps({"error": {"message": repeated}}))
        if "pair 4." in asked:
            return Say(raw=completion(body | {"model": repeated}, Say(GOOD)))
        return Say(status=401, raw=f"bad key: {repeated}")

    llm = connect(script, key_env="TEST_KEY", retries=0, repairs=0)
    answers = list(llm.run(ask(n) for n in (1, 2, 3, 4)))
    assert {headers["authorization"] for headers in server.headers} == {f"Bearer {KEY}"}
    with pytest.raises(LLMError) as caught:
        list(llm.run([ask(5)]))
    llm.close()
    kept = b"".join(path.read_bytes() for path in (tmp_path / "llm").iterdir()).decode("utf-8", "replace")
    for place in (*map(repr, answers), repr(answers[0].value), str(caught.value), caplog.text, kept, repr(vars(llm))):
        assert not shows(place, KEY)


@pytest.mark.parametrize("key", ["sk-1\nX-Evil: 1", "sk-\u0105\u017e", "sk-\x00"])
def test_a_key_that_no_header_can_hold_is_one_clear_line(
    connect: Connect, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    if "\x00" in key:
        key = "sk-\x7f"
    monkeypatch.setenv("TEST_KEY", key)
    with pytest.raises(LLMError, match="the environment variable TEST_KEY") as caught:
        list(connect(key_env="TEST_KEY").run([ask()]))
    assert "sk-" not in str(caught.value)
    assert not server.seen


@pytest.mark.parametrize(
    "address", ["http://user:s3cret@host/v1", "http://host/v1?key=s3cret", "http://host/v1#s3cret"]
)
def test_an_address_with_a_secret_in_it_is_refused_without_repeating_it(address: str, tmp_path: Path) -> None:
    path = tmp_path / "pairwright.toml"
    path.write_text(f'[llm]\nbase_url = "{address}"\n')
    with pytest.raises(ConfigError, match=r"pairwright\.toml:2: 'llm\.base_url'") as stated:
        validate({"llm": {"base_url": address}}, Config, path)
    with pytest.raises(ModelError, match=r"http://host: an address has no user name, password or query") as named:
        ModelSettings(name=address)
    assert "s3cret" not in str(stated.value) + str(named.value)
