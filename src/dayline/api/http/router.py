"""Finds the route of a raw path; each segment is decoded exactly once.

Falcon decodes a path before it routes, so `/buckets/a%2Fevents` would return the events of bucket `a`.
"""

import re
from collections.abc import Iterable
from typing import Final, TypeAlias
from urllib.parse import unquote_to_bytes

from msgspec import Struct

from dayline.api.http.route import Route
from dayline.model.errors import Malformed, NotAllowed, PathNotFound

_SLASHES = re.compile(r"/{2,}")
# Keys of special children; the slash keeps them apart from segments of a path.
_FIELD: Final = "/{}"
_REST: Final = "/{*}"


class _Node(Struct):
    """A node in the tree of paths: its children, and the routes at it.

    `is_rest` marks a wildcard for the rest of the path. Only its handler knows which paths exist, so another method is
    a 404, not a 405.
    """

    children: "dict[str, _Node]" = {}
    routes: dict[str, Route] = {}
    names: tuple[str, ...] = ()
    is_rest: bool = False


RouteMatch: TypeAlias = tuple[Route, dict[str, str]]


class Router:
    """The tree of all paths. A trailing slash and repeated slashes make no difference."""

    def __init__(self, routes: Iterable[Route]) -> None:
        self._root = _Node()
        for route in routes:
            self._add(route)

    def find(self, method: str, raw_path: str) -> RouteMatch:
        """The route and its path fields. HEAD matches GET. Raises PathNotFound, NotAllowed or Malformed."""
        segments = [segment for segment in _SLASHES.sub("/", raw_path).strip("/").split("/") if segment]
        node, values = self._walk(segments, raw_path)
        route = node.routes.get("GET" if method == "HEAD" else method)
        if route is None and node.is_rest:
            raise PathNotFound(raw_path)
        if route is None:
            raise NotAllowed(method, raw_path, allowed=self._allowed_methods(node))
        return route, dict(zip(node.names, values, strict=True))

    def _walk(self, segments: list[str], raw_path: str) -> tuple[_Node, list[str]]:
        node, values = self._root, list[str]()
        for number, segment in enumerate(segments):
            # A literal takes precedence over a field: `events/count` is not an event's id.
            if segment in node.children:
                node = node.children[segment]
            elif _FIELD in node.children:
                values.append(decode_segment(segment))
                node = node.children[_FIELD]
            elif _REST in node.children:
                values.append("/".join(_decode_name(segment, raw_path) for segment in segments[number:]))
                return node.children[_REST], values
            else:
                raise PathNotFound(raw_path)
        if not node.routes and _REST in node.children:
            node, values = node.children[_REST], [*values, ""]
        if not node.routes:
            raise PathNotFound(raw_path)
        return node, values

    def _add(self, route: Route) -> None:
        node, names = self._root, list[str]()
        for segment in route.path.strip("/").split("/"):
            child = segment
            if segment.startswith("{"):
                names.append(segment.strip("{}*"))
                child = _REST if segment.endswith("*}") else _FIELD
            if child:
                node = node.children.setdefault(child, _Node(is_rest=child == _REST))
        node.routes[route.method] = route
        node.names = tuple(names)

    @staticmethod
    def _allowed_methods(node: _Node) -> list[str]:
        head = ["HEAD"] if "GET" in node.routes else []
        return sorted([*node.routes, *head, "OPTIONS"])


def _decode_name(segment: str, raw_path: str) -> str:
    """Decode a segment of a wildcard. Raises PathNotFound for an encoded slash, which would act as a separator."""
    name = decode_segment(segment)
    if "/" in name:
        raise PathNotFound(raw_path)
    return name


def decode_segment(segment: str) -> str:
    """Percent-decode one segment of a path. Raises Malformed for broken UTF-8 and for null characters."""
    if "%" not in segment:
        return segment
    try:
        text = unquote_to_bytes(segment).decode()
    except UnicodeDecodeError as error:
        raise Malformed(f"the path segment {segment[:60]!r} is not valid UTF-8") from error
    if "\0" in text:
        raise Malformed(f"the path segment {segment[:60]!r} contains a null character")
    return text
