"""Headers: preconditions (RFC 9110, 13.1) and idempotency keys."""

import re
from collections.abc import Sequence
from hashlib import blake2b
from typing import Final, Literal, TypeAlias

import msgspec
from falcon import ETag

from dayline.api.http.call import Call
from dayline.model.access import Caller, Once
from dayline.model.errors import Malformed, Stale
from dayline.model.time import SECOND, Microseconds

# Falcon accepts partly invalid lists; for a change the whole list must be valid.
_TAG: Final = r'(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"'
_TAGS: Final = re.compile(rf"[ \t]*\*[ \t]*|[ \t,]*{_TAG}(?:[ \t]*,[ \t,]*{_TAG})*[ \t,]*")

ExpectedTags: TypeAlias = Sequence[ETag | Literal["*"]]


def expected_tags(call: Call) -> ExpectedTags | None:
    """The tags of `If-Match`; None if there is no such header. Raises Malformed if it is invalid."""
    text = call.request.get_header("If-Match")
    if text is None:
        return None
    tags = call.request.if_match
    if tags is None or not _TAGS.fullmatch(text):
        raise Malformed(
            f"invalid If-Match {text[:60]!r}", hint='send the ETag exactly as received, with its quotes: "…"'
        )
    return tags


def is_any(tags: ExpectedTags) -> bool:
    """Whether the header is `*`, which matches any version."""
    return any(not isinstance(tag, ETag) for tag in tags)


def strong_tags(tags: ExpectedTags) -> list[str]:
    """The strong tags, without quotes. A weak tag cannot permit a change."""
    return [str(tag) for tag in tags if isinstance(tag, ETag) and not tag.is_weak]


def permits(tags: ExpectedTags, tag: str) -> bool:
    """Whether an object with this tag (without quotes) may be changed."""
    return is_any(tags) or tag in strong_tags(tags)


def has_current(call: Call, tag: str) -> bool:
    """Whether `If-None-Match` has this tag, with or without quotes: the client has the current version."""
    tags = call.request.if_none_match or ()
    return is_any(tags) or ETag.loads(tag) in tags


def tag_of(value: object) -> str:
    """The strong ETag of an object's JSON, with quotes."""
    return f'"{content_tag(msgspec.json.encode(value))}"'


def content_tag(body: bytes) -> str:
    """A tag computed from these bytes, without quotes."""
    return blake2b(body, digest_size=12).hexdigest()


def check_match(call: Call, value: object, *, name: str) -> None:
    """Raise Stale if `If-Match` names another version of the object. Does nothing without `If-Match`."""
    tags, tag = expected_tags(call), tag_of(value)
    if tags is None or permits(tags, ETag.loads(tag)):
        return
    raise Stale(
        f"{name} was changed by another client",
        hint="check `current`, and send the change again with the new ETag",
        current=msgspec.json.decode(msgspec.json.encode(value)),
        tag=tag,
    )


# `Idempotency-Key`: a client that does not know whether a change arrived sends it again with the same key.


IDEMPOTENCY_KEY: Final = "idempotency-key"
_RETENTION: Final[Microseconds] = 30 * 86_400 * SECOND  # a relay may be offline this long between two attempts
_TOKEN = re.compile(r"[A-Za-z0-9_-]{1,64}")


def once_of(text: str, caller: Caller, *, now: Microseconds) -> Once:
    """The idempotency key as it is stored, prefixed with the caller's key id. Raises Malformed."""
    if not _TOKEN.fullmatch(text):
        raise Malformed(
            f"invalid Idempotency-Key {text[:80]!r}: use 1 to 64 letters, digits, - or _", field="Idempotency-Key"
        )
    return Once(token=f"{caller.key_id}/{text}", until=now + _RETENTION)
