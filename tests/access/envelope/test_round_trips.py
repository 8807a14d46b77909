"""What is sealed comes out as it went in."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, Raw

from dayline.envelope.messages import (
    EnvelopedCall,
    EnvelopedResponse,
    kid_of,
    new_nonce,
    open_answer,
    open_call,
    seal_answer,
    seal_call,
)
from tests.access.envelope.sealing import KEYS, KID, a_call, an_answer, text_of

JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
BODIES = st.none() | JSON.map(lambda value: json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
VISIBLE = st.characters(min_codepoint=0x21, max_codepoint=0x7E, exclude_characters="?#")
NONCES = st.builds(new_nonce)


@given(
    method=st.sampled_from(["GET", "POST", "PUT", "DELETE"]),
    path=st.text(VISIBLE).map("/".__add__),
    query=st.text(VISIBLE),
    body=BODIES,
    headers=st.dictionaries(st.text(VISIBLE), st.text(), max_size=2),
    nonce=NONCES,
)
def test_call_comes_out_as_it_went_in(
    method: str, path: str, query: str, body: bytes | None, headers: dict[str, str], nonce: str
) -> None:
    content = UNSET if body is None else Raw(body)
    call = EnvelopedCall(
        method=method, path=path, query=query, body=content, headers=headers, time="2026-01-01T10:00:00Z", nonce=nonce
    )

    opened = open_call(seal_call(call, KEYS, kid=KID), KEYS)

    assert (opened.method, opened.path, opened.query, opened.headers) == (method, path, query, headers)
    assert (opened.time, opened.nonce) == (call.time, nonce)
    assert text_of(opened.body) == body


@given(status=st.integers(100, 599), body=BODIES, headers=st.dictionaries(st.text(), st.text()), nonce=NONCES)
def test_answer_comes_out_as_it_went_in(status: int, body: bytes | None, headers: dict[str, str], nonce: str) -> None:
    content = UNSET if body is None else Raw(body)
    answer = EnvelopedResponse(status=status, body=content, headers=headers, nonce=nonce)

    opened = open_answer(seal_answer(answer, KEYS, kid=KID), KEYS)

    assert (opened.status, opened.headers, opened.nonce) == (status, headers, nonce)
    assert text_of(opened.body) == body


def test_numbers_keep_the_form_in_which_they_were_written() -> None:
    body = b'[1, 1.0, 1e0, 10000000000000000000000001, {"b":1,"a":1}]'

    assert text_of(open_call(seal_call(a_call(body), KEYS, kid=KID), KEYS).body) == body


def test_body_that_is_null_is_not_one_that_is_missing() -> None:
    assert text_of(open_answer(seal_answer(an_answer(b"null"), KEYS, kid=KID), KEYS).body) == b"null"
    assert open_answer(seal_answer(an_answer(), KEYS, kid=KID), KEYS).body is UNSET


def test_message_of_megabytes_is_sealed_and_opened() -> None:
    # joserfc on its own stops at 64 KiB.
    body = b'"%s"' % (b"x" * (3 << 20))

    assert text_of(open_call(seal_call(a_call(body), KEYS, kid=KID), KEYS).body) == body


def test_same_call_is_never_the_same_message() -> None:
    assert len({seal_call(a_call(), KEYS, kid=KID) for _ in range(20)}) == 20


def test_message_names_its_key() -> None:
    assert kid_of(seal_call(a_call(), KEYS, kid=KID)) == KID
    assert kid_of(seal_answer(an_answer(), KEYS, kid="other-1_")) == "other-1_"


def test_no_two_nonces_are_alike() -> None:
    assert len({new_nonce() for _ in range(1000)}) == 1000
