"""Headers with rules of their own: preconditions (RFC 9110, 13.1), cookies, idempotency keys."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Final, Literal, TypeAlias

import falcon.asgi
import msgspec
from falcon import ETag

from dayline.access.caller import Caller
from dayline.access.peers import Seen
from dayline.api.http.call import Call
from dayline.model.access import Once, Session
from dayline.model.errors import Malformed, Stale
from dayline.model.time import SECOND, Microseconds

# Falcon reads what it can of any text; a change needs a whole list, as the standard writes it.
_TAG: Final = r'(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"'
_TAGS: Final = re.compile(rf"[ \t]*\*[ \t]*|[ \t,]*{_TAG}(?:[ \t]*,[ \t,]*{_TAG})*[ \t,]*")

ExpectedTags: TypeAlias = Sequence[ETag | Literal["*"]]


def expected_tags(call: Call) -> ExpectedTags | None:
    """What `If-Match` says; None where there is none. Raises Malformed: a change is not made on a guess."""
    text = call.request.get_header("If-Match")
    if text is None:
        return None
    tags = call.request.if_match
    if tags is None or not _TAGS.fullmatch(text):
        raise Malformed(
            f"If-Match: {text[:60]!r} is not a list of tags", hint='send the ETag as it was given, with its quotes: "…"'
        )
    return tags


def is_any(tags: ExpectedTags) -> bool:
    """Whether they are `*`: whatever there is."""
    return any(not isinstance(tag, ETag) for tag in tags)


def strong_tags(tags: ExpectedTags) -> list[str]:
    """Those that can permit a change, without their quotes. A weak one cannot: it promises too little."""
    return [str(tag) for tag in tags if isinstance(tag, ETag) and not tag.is_weak]


def permits(tags: ExpectedTags, tag: str) -> bool:
    """Whether what has this tag, given without quotes, may be changed."""
    return is_any(tags) or tag in strong_tags(tags)


def has_current(call: Call, tag: str) -> bool:
    """Whether the client has what this tag stands for already, by `If-None-Match`. The tag may have its quotes."""
    tags = call.request.if_none_match or ()
    return is_any(tags) or ETag.loads(tag) in tags


def tag_of(value: object) -> str:
    """The strong ETag of what clients are told about an object, with its quotes."""
    return f'"{content_tag(msgspec.json.encode(value))}"'


def content_tag(body: bytes) -> str:
    """A tag that stands for these bytes, without quotes."""
    return blake2b(body, digest_size=12).hexdigest()


def check_match(call: Call, value: object, *, name: str) -> None:
    """Raise Stale where the client has seen another state of an object than this; nothing where it does not say."""
    tags, tag = expected_tags(call), tag_of(value)
    if tags is None or permits(tags, ETag.loads(tag)):
        return
    raise Stale(
        f"{name} was changed in the meantime",
        hint="look at what it is now, and send the change again with its new ETag",
        current=msgspec.json.decode(msgspec.json.encode(value)),
        tag=tag,
    )


# The cookie of a browser that is signed in.


_PREFIX: Final = "dayline_session_"
_LONG_AGO: Final = datetime(1970, 1, 1, tzinfo=UTC)


def session_token(request: falcon.asgi.Request, port: int) -> str | None:
    """What the cookie of this server holds. Browsers tell cookies of one host apart by name, not by port."""
    values = request.get_cookie_values(f"{_PREFIX}{port}")
    return values[0] if values and len(values) == 1 else None


def keep_session(
    response: falcon.asgi.Response, token: str, session: Session, *, seen: Seen, port: int, base_path: str
) -> None:
    """Give the browser its cookie: no script can read it, and no page of another site makes the browser send it."""
    response.set_cookie(
        f"{_PREFIX}{port}",
        token,
        max_age=(session.expires - session.created) // SECOND,
        path=f"{base_path}/",
        secure=seen.scheme == "https",
        http_only=True,
        same_site="Strict",
    )


def drop_session(response: falcon.asgi.Response, *, seen: Seen, port: int, base_path: str) -> None:
    """Take the cookie back."""
    response.set_cookie(
        f"{_PREFIX}{port}",
        "",
        expires=_LONG_AGO,  # the framework leaves out a max_age of 0, and the browser would keep the cookie
        path=f"{base_path}/",
        secure=seen.scheme == "https",
        http_only=True,
        same_site="Strict",
    )


# `Idempotency-Key`: whoever does not know whether a change has arrived sends it again with the same token.


IDEMPOTENCY_KEY: Final = "idempotency-key"
_KEPT: Final[Microseconds] = 30 * 86_400 * SECOND  # how long a relay may have been away between two tries
_TOKEN = re.compile(r"[A-Za-z0-9_-]{1,64}")


def once_of(text: str, caller: Caller, *, now: Microseconds) -> Once:
    """The token as the store keeps it; those of two keys never meet. Raises Malformed."""
    if not _TOKEN.fullmatch(text):
        raise Malformed("Idempotency-Key must have 1 to 64 letters, digits, - or _", field="Idempotency-Key")
    return Once(token=f"{caller.key_id}/{text}", until=now + _KEPT)
