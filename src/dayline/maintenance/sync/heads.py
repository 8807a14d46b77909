"""Heads: what a device has published, signed with its key and encrypted with that of the space.

A head is JSON in a JWS (RFC 7515, `Ed25519`) in a JWE (RFC 7516, `dir` with A256GCM). joserfc makes both: it is a
dependency already, for enveloped calls.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from dayline.envelope.jwe import EnvelopeError, header_of, seal, unseal
from dayline.maintenance.sync.digests.spans import DIGEST_BYTES, range_of, span_of
from dayline.maintenance.sync.keys import (
    KEY_BYTES,
    InvalidSignature,
    SigningKey,
    SpaceKey,
    from_text,
    short_id,
    signed_payload,
)
from dayline.maintenance.sync.spaces.protocol import GENERATION, MAX_HEAD_BYTES
from dayline.model.bucket import MAX_ID_CHARACTERS
from dayline.model.data import check_depth
from dayline.model.edits.annotation import ANNOTATIONS_TYPE
from dayline.model.errors import Invalid
from dayline.model.time import EARLIEST, LATEST, Microseconds
from dayline.model.upkeep.mirror import FIRST_MIRROR_ID, SLOT_IDS

MAX_BREAKS: Final = 100
MAX_SYNCED_ID: Final = MAX_ID_CHARACTERS - 9  # characters of the id of a bucket: a mirror adds the device
_FORMAT: Final = "dayline-sync"
_DIGEST_CHARACTERS: Final = DIGEST_BYTES * 4 // 3

Number = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Time = Annotated[int, Meta(ge=EARLIEST, le=LATEST)]
Name = Annotated[str, Meta(max_length=MAX_ID_CHARACTERS)]


class HeadRejected(Exception):
    """A head that this device must not use; the message says why."""


class HeadBucket(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A bucket and its spans. `key` identifies it for its device, also when it is renamed.

    `former` has the spans whose packs are encrypted with a former key of the space, by the id of that key.
    """

    key: Annotated[int, Meta(ge=1, le=2**63 - 1)]
    id: Annotated[str, Meta(min_length=1, max_length=MAX_SYNCED_ID)]
    type: Name
    client: Name
    hostname: Name
    created: Time
    data: dict[str, Any]
    events: Number
    spans: dict[str, str]
    former: dict[str, list[str]] = {}


class AdoptedBuckets(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Buckets of another device, by their keys there, as its head with this number had them."""

    number: Number
    keys: list[int]


class Head(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that a device has published.

    `space` is the id of the key that it is encrypted with, `key` the public key that it is signed with, and `exchange`
    the public key for which others encrypt the next key of the space.

    `replaces` is the number of the head before. `breaks` has these two numbers of each head that was written although
    the one before was not there: a reader may have applied one in between, and must not follow. `covered` has, for each
    start of the server, up to which id its events are published; `next_event_id` is the first id that no event has had.
    `adopted` has the buckets of other devices that are now among its own. `former` has the former keys of the space
    that packs of this head are encrypted with, by their ids: a device that joined later has only the newest one.
    """

    format: Literal["dayline-sync"] = _FORMAT
    version: Literal[1] = 1
    space: str
    name: Annotated[str, Meta(min_length=1, max_length=MAX_ID_CHARACTERS)]
    key: str
    exchange: str
    number: Number
    nonce: Annotated[str, Meta(min_length=1, max_length=64)]
    replaces: Number
    breaks: Annotated[list[tuple[Number, Number]], Meta(max_length=MAX_BREAKS)] = []
    made: Time
    next_event_id: Annotated[int, Meta(ge=1, le=FIRST_MIRROR_ID)]
    covered: dict[str, int]
    buckets: list[HeadBucket]
    items: str = ""  # the digest of the settings and annotations; empty if there are none
    adopted: dict[str, AdoptedBuckets] = {}
    former: dict[str, str] = {}

    @property
    def public_key(self) -> bytes:
        return from_text(self.key)

    @property
    def device(self) -> str:
        return short_id(self.public_key)

    @property
    def events(self) -> int:
        return sum(bucket.events for bucket in self.buckets)

    def keys_of(self, bucket: HeadBucket, key: SpaceKey) -> dict[str, SpaceKey]:
        """The keys of the packs of a bucket, by span; `key` is that of the head."""
        keys = dict.fromkeys(bucket.spans, key)
        for space, spans in bucket.former.items():
            keys |= dict.fromkeys(spans, SpaceKey(from_text(self.former[space])))
        return keys

    def pack_names(self, key: SpaceKey) -> set[str]:
        """The names of all files that it lists; `key` is that of the head."""
        names = {
            each.pack_name(bucket.spans[span])
            for bucket in self.buckets
            for span, each in self.keys_of(bucket, key).items()
        }
        return names | {key.pack_name(self.items)} if self.items else names


def write_head(head: Head, key: SpaceKey, signing: SigningKey) -> bytes:
    """The file of a head."""
    return seal(signing.signed(msgspec.json.encode(head)), key.for_heads, kid=str(key.generation))


def generation_of(file: bytes) -> int:
    """The generation of the key that a head is encrypted with, which is authentic if it can be read; 0 if unknown."""
    try:
        kid = header_of(file).kid
    except EnvelopeError:
        return 0
    return int(kid) if GENERATION.fullmatch(kid) else 0


def read_head(file: bytes, keys: Sequence[SpaceKey], *, device: str) -> Head:
    """Decrypt and verify the head in the folder of a device, with one of these keys. Raises HeadRejected."""
    if len(file) > MAX_HEAD_BYTES:
        raise HeadRejected(f"its head is larger than {MAX_HEAD_BYTES >> 20} MiB")
    key, signed = _opened(file, keys)
    try:
        head = _decoded(signed_payload(signed, lambda payload: _decoded(payload).public_key))
    except InvalidSignature as error:
        raise HeadRejected("the signature of its head is invalid") from error
    except (ValueError, msgspec.DecodeError, Invalid) as error:  # also a ValidationError
        raise HeadRejected(f"its head cannot be read: {error}") from error
    if head.device != device:
        raise HeadRejected(f"its head is that of another device, {head.device}")
    if head.space != key.space_id:
        raise HeadRejected("its head is of another space")
    _check(head)
    return head


def _decoded(payload: bytes) -> Head:
    check_depth(payload)
    head = msgspec.json.decode(payload, type=Head)
    if not len(head.public_key) == len(from_text(head.exchange)) == KEY_BYTES:
        raise ValueError("the key has another length")
    return head


def _opened(file: bytes, keys: Sequence[SpaceKey]) -> tuple[SpaceKey, bytes]:
    for key in keys:
        with suppress(EnvelopeError):
            return key, unseal(file, key.for_heads)
    raise HeadRejected("its head is damaged, or of another space")


def _check(head: Head) -> None:
    """Check what a schema cannot. Raises HeadRejected."""
    keys = {bucket.key for bucket in head.buckets}
    ids = {bucket.id for bucket in head.buckets}
    if len(keys) != len(head.buckets) or len(ids) != len(head.buckets):
        raise HeadRejected("its head has a bucket twice")
    if head.next_event_id > SLOT_IDS:
        raise HeadRejected("its event ids are too large")
    if head.items and len(head.items) != _DIGEST_CHARACTERS:
        raise HeadRejected("the digest of its settings is invalid")
    _check_former(head)
    for bucket in head.buckets:
        if any("\0" in text for text in (bucket.id, bucket.type, bucket.client, bucket.hostname, head.name)):
            raise HeadRejected("its head has a text with a NUL character")
        if bucket.type == ANNOTATIONS_TYPE:
            raise HeadRejected("its head has annotations as a bucket")
        if any(span_of(_first(span), head.made) != span for span in bucket.spans):  # so they do not overlap either
            raise HeadRejected(f"the spans of {bucket.id} are not those of the time of its head")
        if any(len(digest) != _DIGEST_CHARACTERS for digest in bucket.spans.values()):
            raise HeadRejected(f"a digest of {bucket.id} is invalid")


def _check_former(head: Head) -> None:
    for space, secret in head.former.items():
        with suppress(ValueError):
            if SpaceKey(from_text(secret)).space_id == space:
                continue
        raise HeadRejected("a former key of its head is invalid")
    for bucket in head.buckets:
        spans = {span for spans in bucket.former.values() for span in spans}
        if not (bucket.former.keys() <= head.former.keys() and spans <= bucket.spans.keys()):
            raise HeadRejected(f"the former keys of {bucket.id} are not in its head")


def _first(span: str) -> Microseconds:
    try:
        return range_of(span)[0]
    except ValueError as error:
        raise HeadRejected(f"its head cannot be read: {error}") from error
