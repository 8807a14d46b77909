"""The headers by which a call is made only if something is, or is not, as the client knows it: RFC 9110, 13.1."""

import re
from hashlib import blake2b
from typing import Final

import msgspec
from msgspec import Struct

from dayline.api.call import Call
from dayline.model.errors import Malformed, Stale

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
