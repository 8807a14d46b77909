"""HKDF-SHA256, against the vectors of RFC 5869 and another implementation."""

import pytest
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from hypothesis import given
from hypothesis import strategies as st

from dayline.envelope.keys import hkdf_sha256


def test_first_vector_of_the_rfc() -> None:
    derived = hkdf_sha256(bytes([0x0B]) * 22, salt=bytes(range(0x0D)), info=bytes(range(0xF0, 0xFA)), length=42)

    assert derived.hex() == ("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")


def test_second_vector_of_the_rfc_has_long_inputs() -> None:
    derived = hkdf_sha256(bytes(range(0x50)), salt=bytes(range(0x60, 0xB0)), info=bytes(range(0xB0, 0x100)), length=82)

    assert derived.hex() == (
        "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c"
        "59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"
    )


def test_third_vector_of_the_rfc_has_neither_salt_nor_info() -> None:
    derived = hkdf_sha256(bytes([0x0B]) * 22, info=b"", length=42)

    assert derived.hex() == ("8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8")


@given(
    secret=st.binary(max_size=80), salt=st.binary(max_size=80), info=st.binary(max_size=80), length=st.integers(1, 200)
)
def test_derives_what_another_implementation_derives(secret: bytes, salt: bytes, info: bytes, length: int) -> None:
    other = HKDF(algorithm=SHA256(), length=length, salt=salt, info=info).derive(secret)

    assert hkdf_sha256(secret, salt=salt, info=info, length=length) == other


@pytest.mark.parametrize("length", [0, -1, 255 * 32 + 1])
def test_lengths_that_the_rfc_has_no_bytes_for_are_rejected(length: int) -> None:
    with pytest.raises(ValueError, match="8160"):
        hkdf_sha256(b"secret", info=b"", length=length)


def test_longest_length_of_the_rfc_is_derived() -> None:
    assert len(hkdf_sha256(b"secret", info=b"", length=255 * 32)) == 255 * 32
