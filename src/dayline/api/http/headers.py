"""Headers with rules of their own: preconditions (RFC 9110, 13.1), cookies, idempotency keys."""

import re
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Final

import falcon.asgi
import msgspec
from msgspec import Struct

from dayline.access.caller import Caller
from dayline.access.peers import Seen
from dayline.api.http.call import Call
from dayline.model.access import Once, Session
from dayline.model.errors import Malformed, Stale
from dayline.model.time import SECOND, Microseconds

_TAG: Final = re.compile(r'(?P<weak>W/)?"(?P<tag>[\x21\x23-\x7e\x80-\xff]*)"')


class EntityTags(Struct, frozen=True, kw_only=True):
    """Tags that a client has sent. `is_any` is `*`: whatever there is."""

    strong: tuple[str, ...] = ()
    weak: tuple[str, ...] = ()
    is_any: bool = False

    def has(self, tag: str) -> bool:
        """The weak comparison: whether this tag is among them, marked as weak or not."""
        return self.is_any or tag in self.strong or tag in self.weak


def read_tags(text: str) -> EntityTags | None:
    """The tags of a header; None where it is not a list of tags, nor `*`."""
    if text.strip() == "*":
        return EntityTags(is_any=True)
    strong: list[str] = []
    weak: list[str] = []
    place = 0
    is_first = True
    while True:
        blank = _blank(text, place)
        has_comma = "," in text[place:blank]
        if blank == len(text):
            break
        found = _TAG.match(text, blank)
        if found is None or not (is_first or has_comma):
            return None
        (weak if found["weak"] else strong).append(found["tag"])
        place, is_first = found.end(), False
    return None if is_first else EntityTags(strong=tuple(strong), weak=tuple(weak))


def expected_tags(call: Call) -> EntityTags | None:
    """What `If-Match` says; None where there is none. Raises Malformed: a change is not made on a guess."""
    text = call.request.get_header("If-Match")
    if text is None:
        return None
    tags = read_tags(text)
    if tags is None:
        raise Malformed(
            f"If-Match: {text[:60]!r} is not a list of tags", hint='send the ETag as it was given, with its quotes: "…"'
        )
    return tags


def is_known(call: Call, tag: str) -> bool:
    """Whether the client says by `If-None-Match` that it has what this tag stands for."""
    tags = read_tags(call.request.get_header("If-None-Match") or "")
    return tags is not None and tags.has(tag)


def tag_of(value: object) -> str:
    """The strong ETag of what clients are told about an object, with its quotes."""
    return f'"{content_tag(msgspec.json.encode(value))}"'


def content_tag(body: bytes) -> str:
    """A tag that stands for these bytes, without quotes."""
    return blake2b(body, digest_size=12).hexdigest()


def check_match(call: Call, value: object, *, name: str) -> None:
    """Raise Stale where the client has seen another state of an object than this; nothing where it does not say."""
    tags, tag = expected_tags(call), tag_of(value)
    if tags is None or tags.is_any or tag.strip('"') in tags.strong:
        return
    raise Stale(
        f"{name} was changed in the meantime",
        hint="look at what it is now, and send the change again with its new ETag",
        current=msgspec.json.decode(msgspec.json.encode(value)),
        tag=tag,
    )


def _blank(text: str, place: int) -> int:
    """Where blanks and commas end."""
    while place < len(text) and text[place] in " \t,":
        place += 1
    return place


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
