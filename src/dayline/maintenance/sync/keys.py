"""The keys of a device and of a space, and the invite that has the key of the space.

The device id is the start of the SHA-256 of the public key that signs its heads. Readers store the whole public key
when they first see a device, so an id that two keys share would be rejected.
"""

import hmac
import re
import secrets
from base64 import b32encode, urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from functools import cached_property
from hashlib import blake2b, sha256
from typing import Final

from msgspec import Struct

from dayline.model.errors import Invalid

KEY_BYTES: Final = 32
DEVICE_ID: Final = re.compile(r"[a-z2-7]{8}")
_INVITE: Final = re.compile(r"dayline-sync_([a-z2-7]{8})_([A-Za-z0-9_-]{48})")
_CHECK_BYTES: Final = 4


def short_id(data: bytes) -> str:
    """Eight characters that identify a public key or a space."""
    return b32encode(sha256(data).digest()[:5]).decode("ascii").lower()


def to_text(data: bytes) -> str:
    """Base64url without padding."""
    return urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def from_text(text: str) -> bytes:
    """The bytes of `to_text`. Raises ValueError."""
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


class SpaceKey(Struct, frozen=True, dict=True):
    """The key of a space. Every use has a key of its own, derived from it.

    A space has several generations of keys, of which the one with the highest number is used.
    """

    secret: bytes
    generation: int = 1

    def __repr__(self) -> str:
        return "SpaceKey(…)"  # must not appear in a log

    @property
    def space_id(self) -> str:
        return short_id(self._derived("id"))

    @cached_property
    def for_heads(self) -> bytes:
        return self._derived("head")

    @cached_property
    def for_packs(self) -> bytes:
        return self._derived("pack")

    @cached_property
    def for_keys(self) -> bytes:
        return self._derived("keys")

    @cached_property
    def for_names(self) -> bytes:
        return self._derived("name")

    def pack_name(self, digest: str) -> str:
        """The file name of the pack with this digest, which only holders of the key can relate to it."""
        name = blake2b(digest.encode("ascii"), key=self.for_names, digest_size=20).digest()
        return b32encode(name).decode("ascii").lower()

    def _derived(self, use: str) -> bytes:
        return hmac.digest(self.secret, f"dayline sync {use}".encode("ascii"), "sha256")


def new_space_key(generation: int = 1) -> SpaceKey:
    return SpaceKey(secrets.token_bytes(KEY_BYTES), generation)


def key_of(keys: Sequence[SpaceKey], space_id: str) -> SpaceKey:
    """The key with this id, of those that a device has."""
    return next(key for key in keys if key.space_id == space_id)


def invite_of(key: SpaceKey) -> str:
    """The text that lets another device join."""
    checked = key.secret + sha256(key.secret).digest()[:_CHECK_BYTES]
    return f"dayline-sync_{key.space_id}_{to_text(checked)}"


def parse_invite(text: str) -> SpaceKey:
    """The key of an invite, which does not have its generation. Raises Invalid, without any part of the text."""
    match = _INVITE.fullmatch(text.strip())
    checked = b"" if match is None else from_text(match[2])
    key = SpaceKey(checked[:KEY_BYTES])
    if match is None or sha256(key.secret).digest()[:_CHECK_BYTES] != checked[KEY_BYTES:]:
        raise Invalid(
            "this is not an invite, or a part of it is missing",
            hint="an invite begins with dayline-sync_; show it on another device with: dayline sync invite",
            field="invite",
        )
    if match[1] != key.space_id:
        raise Invalid("this invite was changed", hint="copy it again from: dayline sync invite", field="invite")
    return key


class SigningKey(Struct, frozen=True):
    """The key that signs the heads and key files of a device."""

    secret: bytes

    def __repr__(self) -> str:
        return "SigningKey(…)"  # must not appear in a log

    @property
    def public(self) -> bytes:
        # Imported here: a server without sync must not load it.
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return Ed25519PrivateKey.from_private_bytes(self.secret).public_key().public_bytes_raw()

    def signed(self, payload: bytes) -> bytes:
        """The payload in a JWS."""
        # Imported here, as above.
        from joserfc import jws
        from joserfc.jwk import OKPKey

        key = OKPKey.import_key({**_ed25519(self.public), "d": to_text(self.secret)})
        return jws.serialize_compact({"alg": "Ed25519"}, payload, key, algorithms=["Ed25519"]).encode("ascii")


class InvalidSignature(Exception):
    """A JWS that is damaged, or not signed with the key that it should be."""


def signed_payload(signed: bytes, public_key: Callable[[bytes], bytes]) -> bytes:
    """The payload of a JWS, which says itself which key has signed it. Raises InvalidSignature."""
    # Imported here, as above.
    from joserfc import jws
    from joserfc.errors import JoseError
    from joserfc.jwk import OKPKey

    registry = jws.JWSRegistry(algorithms=["Ed25519"])
    registry.max_payload_length = len(signed)  # its default is less than the head of many buckets
    try:
        payload = jws.extract_compact(signed, registry=registry).payload
        jws.deserialize_compact(signed, OKPKey.import_key(_ed25519(public_key(payload))), registry=registry)
    except JoseError as error:
        raise InvalidSignature from error
    return payload


def _ed25519(public: bytes) -> dict[str, str | list[str]]:
    return {"kty": "OKP", "crv": "Ed25519", "x": to_text(public)}


class ExchangeKey(Struct, frozen=True):
    """The X25519 key of a device, for which others encrypt the next key of the space."""

    secret: bytes

    def __repr__(self) -> str:
        return "ExchangeKey(…)"  # must not appear in a log

    @property
    def public(self) -> bytes:
        # Imported here: a server without sync must not load it.
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

        return X25519PrivateKey.from_private_bytes(self.secret).public_key().public_bytes_raw()


def new_exchange_key() -> ExchangeKey:
    return ExchangeKey(secrets.token_bytes(KEY_BYTES))


def new_signing_key() -> SigningKey:
    return SigningKey(secrets.token_bytes(KEY_BYTES))
