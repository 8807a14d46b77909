"""No changed message opens, nor one that was sealed with another key or for another use."""

import pytest

from dayline.envelope.jwe import CannotOpen, EnvelopeError, NotAnEnvelope
from dayline.envelope.messages import open_answer, open_call, seal_answer, seal_call
from tests.access.envelope.sealing import (
    ALPHABET,
    HEADER,
    KEYS,
    KID,
    OTHER_KEYS,
    a_call,
    an_answer,
    decoded,
    encoded,
    sealed_by_hand,
)

PARTS = {"header": 0, "iv": 2, "ciphertext": 3, "tag": 4}
PLAINTEXT = b'{"method":"GET","path":"/","time":"2026-01-01T10:00:00Z","nonce":"AAECAwQFBgcICQoLDA0ODw"}'


def with_part(message: bytes, index: int, part: bytes) -> bytes:
    parts = message.split(b".")
    parts[index] = part
    return b".".join(parts)


@pytest.mark.parametrize("name", PARTS)
def test_one_changed_bit_in_any_part_keeps_it_shut(name: str) -> None:
    message = seal_call(a_call(b"[1]"), KEYS, kid=KID)
    content = bytearray(decoded(message.split(b".")[PARTS[name]]))
    for bit in range(len(content) * 8):
        changed = bytearray(content)
        changed[bit // 8] ^= 1 << (bit % 8)

        with pytest.raises(EnvelopeError):
            open_call(with_part(message, PARTS[name], encoded(bytes(changed))), KEYS)


def test_second_part_must_stay_empty() -> None:
    message = seal_call(a_call(), KEYS, kid=KID)

    with pytest.raises(NotAnEnvelope, match="second part"):
        open_call(with_part(message, 1, b"AAAA"), KEYS)


def test_any_other_character_in_any_place_keeps_it_shut() -> None:
    message = sealed_by_hand(PLAINTEXT, KEYS.call)
    assert open_call(message, KEYS).path == "/"
    for place, original in enumerate(message):
        for character in {*ALPHABET, *b".=+/ \n\0\xff"} - {original}:
            changed = message[:place] + bytes([character]) + message[place + 1 :]

            with pytest.raises(EnvelopeError):
                open_call(changed, KEYS)


@pytest.mark.parametrize("length", range(1, 4))
def test_unused_bits_of_the_last_character_must_be_zero(length: int) -> None:
    # The plaintext is lengthened so that the ciphertext ends with 0, 4 and 2 bits that stand for nothing.
    message = sealed_by_hand(PLAINTEXT + b" " * length, KEYS.call)
    ciphertext = message.split(b".")[3]
    same_bytes = [
        ciphertext[:-1] + bytes([character])
        for character in ALPHABET
        if decoded(ciphertext[:-1] + bytes([character])) == decoded(ciphertext)
    ]

    assert len(same_bytes) == {0: 1, 2: 16, 3: 4}[len(ciphertext) % 4]
    for other in same_bytes:
        if other != ciphertext:
            with pytest.raises(NotAnEnvelope, match="canonical"):
                open_call(with_part(message, 3, other), KEYS)


def test_tag_has_unused_bits_that_must_be_zero() -> None:
    message = sealed_by_hand(PLAINTEXT, KEYS.call)
    last = ALPHABET.index(message[-1])

    with pytest.raises(NotAnEnvelope, match="canonical"):
        open_call(message[:-1] + ALPHABET[last + 1 : last + 2], KEYS)


@pytest.mark.parametrize("suffix", [b"=", b"==", b"\n", b" ", b".", b".AAAA"])
def test_nothing_may_follow_or_precede(suffix: bytes) -> None:
    message = seal_call(a_call(), KEYS, kid=KID)

    with pytest.raises(NotAnEnvelope):
        open_call(message + suffix, KEYS)
    with pytest.raises(NotAnEnvelope):
        open_call(suffix + message, KEYS)


@pytest.mark.parametrize("tag_bytes", [0, 4, 12, 15])
def test_shortened_tag_is_rejected_although_it_would_fit(tag_bytes: int) -> None:
    with pytest.raises(NotAnEnvelope, match="length"):
        open_call(sealed_by_hand(PLAINTEXT, KEYS.call, tag_bytes=tag_bytes), KEYS)


@pytest.mark.parametrize("iv_bytes", [8, 16])
def test_iv_of_another_length_is_rejected_although_it_would_fit(iv_bytes: int) -> None:
    with pytest.raises(NotAnEnvelope, match="length"):
        open_call(sealed_by_hand(PLAINTEXT, KEYS.call, iv=bytes(iv_bytes)), KEYS)


def test_another_key_does_not_open_it() -> None:
    with pytest.raises(CannotOpen):
        open_call(seal_call(a_call(), KEYS, kid=KID), OTHER_KEYS)
    with pytest.raises(CannotOpen):
        open_answer(seal_answer(an_answer(), KEYS, kid=KID), OTHER_KEYS)


def test_answer_does_not_pass_for_a_call_nor_a_call_for_an_answer() -> None:
    with pytest.raises(CannotOpen):
        open_call(seal_answer(an_answer(), KEYS, kid=KID), KEYS)
    with pytest.raises(CannotOpen):
        open_answer(seal_call(a_call(), KEYS, kid=KID), KEYS)


def test_message_cannot_be_given_the_id_of_another_key() -> None:
    message = seal_call(a_call(), KEYS, kid=KID)

    with pytest.raises(CannotOpen):
        open_call(with_part(message, 0, encoded(HEADER.replace(KID.encode(), b"abcdefgh"))), KEYS)


def test_error_reveals_nothing_of_the_key() -> None:
    with pytest.raises(CannotOpen) as raised:
        open_call(seal_call(a_call(), KEYS, kid=KID), OTHER_KEYS)

    assert raised.value.message == ("cannot decrypt the message: it was encrypted with another key, or modified")
