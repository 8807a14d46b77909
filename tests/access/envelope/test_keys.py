"""Envelope keys: from the text that a client holds and from what the server stores, and shown by neither."""

import pytest

from dayline.envelope.keys import EnvelopeKeys, hkdf_sha256
from tests.access.envelope.sealing import KEY_TEXT, KEYS, OTHER_KEYS


def test_stored_key_gives_the_same_keys_as_the_text() -> None:
    stored = EnvelopeKeys(KEYS.stored)

    assert (stored.call, stored.answer) == (KEYS.call, KEYS.answer)


def test_keys_for_calls_and_answers_and_storing_are_three() -> None:
    assert len({KEYS.call, KEYS.answer, KEYS.stored, OTHER_KEYS.call, OTHER_KEYS.answer, OTHER_KEYS.stored}) == 6


def test_keys_are_derived_as_documented() -> None:
    stored = hkdf_sha256(KEY_TEXT.encode(), info=b"dayline envelope v1")

    assert KEYS.stored == stored
    assert KEYS.call == hkdf_sha256(stored, info=b"dayline envelope v1 call")
    assert KEYS.answer == hkdf_sha256(stored, info=b"dayline envelope v1 answer")


@pytest.mark.parametrize("length", [0, 16, 31, 33])
def test_stored_key_of_another_length_is_rejected(length: int) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        EnvelopeKeys(bytes(length))


def test_text_that_is_not_ascii_is_rejected_without_quoting_it() -> None:
    with pytest.raises(ValueError, match="ASCII") as raised:
        EnvelopeKeys.of_text("dayline_k3f5a2bq_sécret")

    assert "cret" not in repr(raised.value)
    assert raised.value.__context__ is None


def test_repr_shows_none_of_the_keys() -> None:
    for key in (KEYS.stored, KEYS.call, KEYS.answer):
        assert repr(key) not in repr(KEYS)
        assert key.hex() not in repr(KEYS)
