"""docs/reference/envelope.md: its vectors and its program agree with the code."""

import re
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from dayline.envelope.jwe import CannotOpen
from dayline.envelope.keys import EnvelopeKeys
from dayline.envelope.messages import EnvelopedCall, EnvelopedResponse, kid_of, open_answer, open_call
from tests.access.envelope.sealing import decoded, encoded, sealed_by_hand, text_of

PAGE: Final = (Path(__file__).parents[3] / "docs" / "reference" / "envelope.md").read_text(encoding="utf-8")
VECTORS: Final = dict(line.split(": ", 1) for line in PAGE.partition("## Vectors")[2].splitlines() if ": " in line)
KEYS: Final = EnvelopeKeys.of_text(VECTORS["key"])


@pytest.fixture(scope="module")
def program() -> dict[str, Any]:
    """The names that the program of the page defines."""
    code = re.findall(r"```python\n(.*?)```", PAGE.partition("## In another language")[2], re.DOTALL)
    names: dict[str, Any] = {}
    exec(code[0], names)
    return names


def test_page_has_every_vector() -> None:
    messages = {f"{kind} {part}" for kind in ("call", "response") for part in ("key", "iv", "plaintext", "message")}

    assert VECTORS.keys() == {"key", "envelope key", "header", "header part", *messages}


def test_keys_are_those_of_the_page() -> None:
    assert KEYS.stored.hex() == VECTORS["envelope key"]
    assert KEYS.call.hex() == VECTORS["call key"]
    assert KEYS.answer.hex() == VECTORS["response key"]


@pytest.mark.parametrize(("kind", "key"), [("call", KEYS.call), ("response", KEYS.answer)])
def test_message_of_the_page_is_its_plaintext_under_its_key_and_iv(kind: str, key: bytes) -> None:
    plaintext, iv = VECTORS[f"{kind} plaintext"].encode(), bytes.fromhex(VECTORS[f"{kind} iv"])

    message = sealed_by_hand(plaintext, key, header=VECTORS["header"].encode(), iv=iv)

    assert message.decode() == VECTORS[f"{kind} message"]
    assert message.split(b".")[0].decode() == VECTORS["header part"]


def test_call_of_the_page_opens() -> None:
    message = VECTORS["call message"].encode()
    inside = msgspec.json.decode(VECTORS["call plaintext"])

    call = open_call(message, KEYS)

    assert kid_of(message) == "k3f5a2bq"
    assert (call.method, call.path, call.query) == (inside["method"], inside["path"], inside["query"])
    assert (call.headers, call.time, call.nonce) == (inside["headers"], inside["time"], inside["nonce"])
    assert msgspec.json.decode(text_of(call.body) or b"") == inside["body"]
    with pytest.raises(CannotOpen):
        open_answer(message, KEYS)


def test_answer_of_the_page_opens() -> None:
    message = VECTORS["response message"].encode()
    inside = msgspec.json.decode(VECTORS["response plaintext"])

    answer = open_answer(message, KEYS)

    assert (answer.status, answer.headers, answer.nonce) == (inside["status"], inside["headers"], inside["nonce"])
    assert msgspec.json.decode(text_of(answer.body) or b"") == inside["body"]
    with pytest.raises(CannotOpen):
        open_call(message, KEYS)


def test_plaintexts_are_written_as_the_page_has_them() -> None:
    call = msgspec.json.decode(VECTORS["call plaintext"], type=EnvelopedCall)
    answer = msgspec.json.decode(VECTORS["response plaintext"], type=EnvelopedResponse)

    assert msgspec.json.encode(call).decode() == VECTORS["call plaintext"]
    assert msgspec.json.encode(answer).decode() == VECTORS["response plaintext"]


def test_program_of_the_page_makes_the_vectors(program: dict[str, Any]) -> None:
    stored = program["derive"](VECTORS["key"].encode(), b"dayline envelope v1")
    call_key = program["derive"](stored, b"dayline envelope v1 call")
    plaintext, iv = VECTORS["call plaintext"].encode(), bytes.fromhex(VECTORS["call iv"])

    assert stored == KEYS.stored
    assert program["seal"](plaintext, call_key, "k3f5a2bq", iv).decode() == VECTORS["call message"]
    assert (
        program["unseal"](VECTORS["response message"].encode(), KEYS.answer).decode() == VECTORS["response plaintext"]
    )


def test_program_of_the_page_makes_calls_that_open(program: dict[str, Any]) -> None:
    call = open_call(program["message_for"](VECTORS["key"], "GET", "/api/0/info"), KEYS)

    assert (call.method, call.path, call.query) == ("GET", "/api/0/info", "")
    assert encoded(decoded(call.nonce.encode())) == call.nonce.encode()
