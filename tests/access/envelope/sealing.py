"""A key, short messages made with it, and messages put together by hand."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Final

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from msgspec import UNSET, Raw

from dayline.envelope.keys import EnvelopeKeys
from dayline.envelope.messages import EnvelopedCall, EnvelopedResponse

KID: Final = "k3f5a2bq"
KEY_TEXT: Final = f"dayline_{KID}_{'s' * 43}"
KEYS: Final = EnvelopeKeys.of_text(KEY_TEXT)
OTHER_KEYS: Final = EnvelopeKeys.of_text(f"dayline_{KID}_{'t' * 43}")
NONCE: Final = "AAECAwQFBgcICQoLDA0ODw"
HEADER: Final = b'{"alg":"dir","enc":"A256GCM","kid":"k3f5a2bq"}'
ALPHABET: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


def a_call(body: bytes | None = None) -> EnvelopedCall:
    """A short call, with a body if one is given."""
    content = UNSET if body is None else Raw(body)
    return EnvelopedCall(method="GET", path="/api/0/info", body=content, time="2026-01-01T10:00:00Z", nonce=NONCE)


def an_answer(body: bytes | None = None) -> EnvelopedResponse:
    """A short answer, with a body if one is given."""
    return EnvelopedResponse(status=200, body=UNSET if body is None else Raw(body), nonce=NONCE)


def text_of(body: object) -> bytes | None:
    """The text of a body, which cannot be compared as it is."""
    return bytes(body) if isinstance(body, Raw) else None


def encoded(part: bytes) -> bytes:
    """Base64url without padding."""
    return urlsafe_b64encode(part).rstrip(b"=")


def decoded(part: bytes) -> bytes:
    """The bytes that base64url without padding encodes."""
    return urlsafe_b64decode(part + b"=" * (-len(part) % 4))


def sealed_by_hand(
    plaintext: bytes, key: bytes, *, header: bytes = HEADER, iv: bytes = bytes(range(12)), tag_bytes: int = 16
) -> bytes:
    """A message with whatever header, without the code under test, and properly encrypted."""
    both = AESGCM(key).encrypt(iv, plaintext, encoded(header))
    parts = [header, b"", iv, both[:-16], both[-16:][:tag_bytes]]
    return b".".join(map(encoded, parts))
