"""What an answer of the server means for the call that was sent, for its bucket, and for all others."""

from http import HTTPStatus
from typing import Final

import msgspec
from msgspec import Struct

from dayline.client.transport import Reply

LONGEST_RETRY_AFTER_S: Final = 600.0
# What no repetition changes: the server can read the call, and does not want it.
_FINAL: Final = frozenset(
    {
        HTTPStatus.CONFLICT,
        HTTPStatus.GONE,
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
        HTTPStatus.UNPROCESSABLE_ENTITY,
    }
)


class Done(Struct, frozen=True):
    """The server has it, now or since an earlier try whose answer was lost."""


class Refused(Struct, frozen=True):
    """The server will never take this call."""

    reason: str


class Unreadable(Struct, frozen=True):
    """The server, or something before it, could not read the call: either nothing we send is heard, or this alone."""

    reason: str


class NoBucket(Struct, frozen=True):
    """The server has no such bucket: it was deleted there."""

    reason: str


class HeldBack(Struct, frozen=True):
    """The server does not take calls for this bucket; others may go on. `is_missing`: it has no such bucket."""

    reason: str
    is_missing: bool = False


class Away(Struct, frozen=True):
    """Nothing can be sent at present."""

    reason: str
    retry_after_s: float = 0


Meaning = Done | Refused | Unreadable | NoBucket | HeldBack | Away


class _Said(Struct):
    """What an error of the server says."""

    message: str
    type: str = ""


def meaning_of(reply: Reply, *, is_enveloped: bool) -> Meaning:
    """What the answer to a write means. Of an enveloped call nothing counts that anybody on the way could have said."""
    status, said = reply.status, _said(reply)
    reason = said.message or f"it answered {status} without a reason"
    if is_enveloped and not reply.is_sealed:
        return Away(reason, _retry_after(reply))
    if status == HTTPStatus.NOT_MODIFIED or (status == HTTPStatus.CONFLICT and said.type == "AlreadyDone"):
        return Done()
    if HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
        return Done() if _is_json(reply) else Away("what answered is not a Dayline server")
    if status == HTTPStatus.NOT_FOUND and said.type == "BucketNotFound":
        return NoBucket(reason)
    if status == HTTPStatus.BAD_REQUEST:
        return Unreadable(reason)
    if status in _FINAL:
        return Refused(reason)
    if status == HTTPStatus.FORBIDDEN:
        return HeldBack(reason)
    return Away(reason, _retry_after(reply))  # a wrong key, a wrong address, a proxy without its server, too many calls


def _said(reply: Reply) -> _Said:
    try:
        return msgspec.json.decode(reply.body, type=_Said)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _Said(message="")


def _is_json(reply: Reply) -> bool:
    """A page of a proxy, or of whatever else listens there, is not the answer of the server."""
    return reply.is_sealed or reply.headers.get("content-type", "").startswith("application/json")


def _retry_after(reply: Reply) -> float:
    """Seconds that the server asks for; 0 where it does not. A date, which is allowed too, is no form of ours."""
    text = reply.headers.get("retry-after", "")
    return min(float(text), LONGEST_RETRY_AFTER_S) if text.isascii() and text.isdigit() else 0.0
