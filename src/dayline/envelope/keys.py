"""The keys of an envelope: one that the server stores, and from it one for each direction."""

from typing import Final, Self

from dayline.envelope.derivation import hkdf_sha256

KEY_BYTES: Final = 32  # A256GCM

_STORED_USE: Final = b"dayline envelope v1"
_CALL_USE: Final = b"dayline envelope v1 call"
_ANSWER_USE: Final = b"dayline envelope v1 answer"


class EnvelopeKeys:
    """Two keys from one, so that an answer never passes for a call, nor a call for an answer."""

    __slots__ = ("answer", "call", "stored")

    def __init__(self, stored: bytes) -> None:
        if len(stored) != KEY_BYTES:
            raise ValueError(f"an envelope key has {KEY_BYTES} bytes, not {len(stored)}")
        self.stored = stored
        self.call = hkdf_sha256(stored, info=_CALL_USE)
        self.answer = hkdf_sha256(stored, info=_ANSWER_USE)

    @classmethod
    def of_text(cls, key_text: str) -> Self:
        """The keys that belong to a key as its owner holds it. Nothing leads back from them to the text."""
        if not key_text.isascii():  # encode() would raise an error that quotes the text
            raise ValueError("a key consists of ASCII characters")
        return cls(hkdf_sha256(key_text.encode("ascii"), info=_STORED_USE))

    @classmethod
    def of_stored(cls, envelope_key: bytes) -> Self:
        """The keys from what the server keeps: the property `stored`."""
        return cls(envelope_key)

    def __repr__(self) -> str:
        return "EnvelopeKeys(…)"  # a repr ends up in logs
