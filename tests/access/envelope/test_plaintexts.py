"""What is inside a message: checked before it is sealed and after it is opened."""

import pytest
from msgspec import Raw
from msgspec.structs import replace

from dayline.envelope.jwe import NotAnEnvelope
from dayline.envelope.messages import open_answer, open_call, seal_answer, seal_call
from tests.access.envelope.sealing import KEYS, KID, NONCE, a_call, an_answer, sealed_by_hand

BROKEN_BODIES = [
    b"",
    b" ",
    b'1,"method":"DELETE"',
    b'{}},"x":{',
    b"[1",
    b"nul",
    b"NaN",
    b"{'a':1}",
    b'"open',
    b"1 2",
    b"[" * 100_000 + b"]" * 100_000,
]
NOT_CALLS = {
    "not JSON": b"GET /",
    "not UTF-8": b'{"method":"\xff"}',
    "a list": b"[]",
    "no method": b'{"path":"/","time":"t","nonce":"%s"}',
    "no path": b'{"method":"GET","time":"t","nonce":"%s"}',
    "no time": b'{"method":"GET","path":"/","nonce":"%s"}',
    "no nonce": b'{"method":"GET","path":"/","time":"t"}',
    "short nonce": b'{"method":"GET","path":"/","time":"t","nonce":"AAECAwQFBgcICQoLDA0OD"}',
    "long nonce": b'{"method":"GET","path":"/","time":"t","nonce":"%sA"}',
    "nonce with a newline": b'{"method":"GET","path":"/","time":"t","nonce":"%s\\n"}',
    "nonce of other characters": b'{"method":"GET","path":"/","time":"t","nonce":"AAECAwQFBgcICQoLDA0OD+"}',
    "nonce as a number": b'{"method":"GET","path":"/","time":"t","nonce":1}',
    "method in lower case": b'{"method":"get","path":"/","time":"t","nonce":"%s"}',
    "method with a newline": b'{"method":"GET\\n","path":"/","time":"t","nonce":"%s"}',
    "path without a slash": b'{"method":"GET","path":"api","time":"t","nonce":"%s"}',
    "path with a blank": b'{"method":"GET","path":"/a b","time":"t","nonce":"%s"}',
    "path with a query": b'{"method":"GET","path":"/a?b=c","time":"t","nonce":"%s"}',
    "path with a fragment": b'{"method":"GET","path":"/a#b","time":"t","nonce":"%s"}',
    "query with a fragment": b'{"method":"GET","path":"/","query":"a#b","time":"t","nonce":"%s"}',
    "path with a newline": b'{"method":"GET","path":"/a\\n","time":"t","nonce":"%s"}',
    "path that is not ASCII": '{"method":"GET","path":"/ä","time":"t","nonce":"%s"}'.encode(),
    "query with a newline": b'{"method":"GET","path":"/","query":"a\\n","time":"t","nonce":"%s"}',
    "endless time": b'{"method":"GET","path":"/","time":"' + b"t" * 65 + b'","nonce":"%s"}',
    "headers of other kinds": b'{"method":"GET","path":"/","headers":{"a":1},"time":"t","nonce":"%s"}',
    "nested too deep": b'{"body":' + b"[" * 50_000 + b"]" * 50_000 + b"}",
}


@pytest.mark.parametrize("body", BROKEN_BODIES, ids=lambda body: repr(body[:20]))
def test_body_that_is_not_one_json_value_is_not_sealed(body: bytes) -> None:
    # Otherwise it could close the object that it is in and add fields of its own.
    with pytest.raises(ValueError, match="one JSON value"):
        seal_call(replace(a_call(), body=Raw(body)), KEYS, kid=KID)
    with pytest.raises(ValueError, match="one JSON value"):
        seal_answer(replace(an_answer(), body=Raw(body)), KEYS, kid=KID)


@pytest.mark.parametrize("name", NOT_CALLS)
def test_message_that_opens_but_holds_no_call_is_rejected(name: str) -> None:
    plaintext = NOT_CALLS[name].replace(b"%s", NONCE.encode())

    with pytest.raises(NotAnEnvelope):
        open_call(sealed_by_hand(plaintext, KEYS.call), KEYS)


@pytest.mark.parametrize(
    "plaintext",
    [
        b'{"status":200}',
        b'{"nonce":"AAECAwQFBgcICQoLDA0ODw"}',
        b'{"status":"200","nonce":"AAECAwQFBgcICQoLDA0ODw"}',
        b'{"status":99,"nonce":"AAECAwQFBgcICQoLDA0ODw"}',
        b'{"status":600,"nonce":"AAECAwQFBgcICQoLDA0ODw"}',
    ],
)
def test_message_that_opens_but_holds_no_answer_is_rejected(plaintext: bytes) -> None:
    with pytest.raises(NotAnEnvelope):
        open_answer(sealed_by_hand(plaintext, KEYS.answer), KEYS)


def test_rejection_names_the_field_and_quotes_no_value() -> None:
    plaintext = b'{"method":"GET","path":"/","body":"my diary","time":"t","nonce":12345}'

    with pytest.raises(NotAnEnvelope) as raised:
        open_call(sealed_by_hand(plaintext, KEYS.call), KEYS)

    assert raised.value.message == ("the message is not a valid call or answer: nonce: expected str, got int")
    assert raised.value.__suppress_context__


def test_fields_that_a_later_version_may_add_are_ignored() -> None:
    plaintext = b'{"method":"GET","path":"/","time":"t","nonce":"AAECAwQFBgcICQoLDA0ODw","later":{"a":[1]}}'

    assert open_call(sealed_by_hand(plaintext, KEYS.call), KEYS).nonce == NONCE


def test_query_and_headers_and_body_may_be_left_out() -> None:
    plaintext = b'{"method":"GET","path":"/","time":"t","nonce":"AAECAwQFBgcICQoLDA0ODw"}'

    call = open_call(sealed_by_hand(plaintext, KEYS.call), KEYS)

    assert (call.query, call.headers) == ("", {})
