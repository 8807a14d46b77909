"""Calls about insight that several commands make."""

from typing import Any

import msgspec

from dayline.cli.local_call import LocalServer
from dayline.cli.screens.palette import Palette
from dayline.model.errors import NotFound


class _Category(msgspec.Struct):
    name: tuple[str, ...]
    color: str | None = None


class _Categories(msgspec.Struct):
    categories: list[_Category] = []


def palette_of(server: LocalServer) -> Palette:
    """The colours of categories."""
    try:
        answer: Any = server.call("GET", "/api/1/categories")
    except NotFound:
        return Palette()  # a server of an earlier version: it goes on while a newer one is installed
    found = msgspec.convert(answer, _Categories)
    return Palette({category.name: category.color for category in found.categories})


def has_buckets(server: LocalServer) -> bool:
    """Whether anything was ever recorded."""
    return bool(server.call("GET", "/api/0/buckets/"))
