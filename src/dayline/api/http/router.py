"""Finds the route of a raw path.

Each segment is decoded exactly once: Falcon decodes a path before it routes, so `/buckets/a%2Fevents` would return the
events of bucket `a`.
"""

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Final, TypeAlias
from urllib.parse import unquote_to_bytes

import msgspec
from msgspec import Struct

from dayline.api.http.route import PATH_FIELDS, Route
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

    def child(self, segment: str) -> "_Node":
        """The child for a segment of a template, which is added if it is missing."""
        is_rest = segment.endswith("*}")
        key = _REST if is_rest else _FIELD if segment.startswith("{") else segment
        return self.children.setdefault(key, _Node(is_rest=is_rest))

    def shares_a_path_with(self, other: "_Node") -> bool:
        """Whether the same segments may lead from both to a route."""
        if self.routes and other.routes:
            return True
        return any(
            left.shares_a_path_with(right)
            for key, left in self.children.items()
            for other_key, right in other.children.items()
            if key == other_key or _FIELD in (key, other_key)
        )


RouteMatch: TypeAlias = tuple[Route, dict[str, str]]


class Router:
    """The tree of all paths. A trailing slash and repeated slashes make no difference.

    A literal takes precedence over a field, unless only the field leads to a route. Raises ValueError for a literal
    that hides a value of a field.
    """

    def __init__(self, routes: Iterable[Route]) -> None:
        self._root = _Node()
        for route in routes:
            self._add(route)
        _check_literals(self._root)

    def find(self, method: str, raw_path: str) -> RouteMatch:
        """The route and its path fields. HEAD matches GET. Raises PathNotFound, NotAllowed or Malformed."""
        segments = [segment for segment in _SLASHES.sub("/", raw_path).strip("/").split("/") if segment]
        node, values = self._walk(self._root, segments, raw_path)
        route = node.routes.get("GET" if method == "HEAD" else method)
        if route is None and node.is_rest:
            raise PathNotFound(raw_path)
        if route is None:
            raise NotAllowed(method, raw_path, allowed=self._allowed_methods(node))
        return route, dict(zip(node.names, values, strict=True))

    def _walk(self, node: _Node, segments: list[str], raw_path: str) -> tuple[_Node, list[str]]:
        """The node of the path, and the values of its fields. Raises PathNotFound."""
        rest = node.children.get(_REST)
        if not segments:
            if not node.routes and rest is not None:
                return rest, [""]
            if not node.routes:
                raise PathNotFound(raw_path)
            return node, []
        literal, field = node.children.get(segments[0]), node.children.get(_FIELD)
        if literal is not None:
            try:
                return self._walk(literal, segments[1:], raw_path)
            except PathNotFound:
                if field is None:
                    raise
        if field is not None:
            value = decode_segment(segments[0])
            route, values = self._walk(field, segments[1:], raw_path)
            return route, [value, *values]
        if rest is None:
            raise PathNotFound(raw_path)
        return rest, ["/".join(_decode_name(segment, raw_path) for segment in segments)]

    def _add(self, route: Route) -> None:
        node, names = self._root, list[str]()
        for segment in filter(None, route.path.strip("/").split("/")):
            node = node.child(segment)
            names += [segment.strip("{}*")] if segment.startswith("{") else []
            if node.names not in ((), tuple(names)):
                raise ValueError(f"{route.path}: the fields are called {node.names} in other routes")
            node.names = tuple(names)
        node.routes[route.method] = route

    @staticmethod
    def _allowed_methods(node: _Node) -> list[str]:
        head = ["HEAD"] if "GET" in node.routes else []
        return sorted([*node.routes, *head, "OPTIONS"])


class GrowingRouter:
    """Finds the first routes, and loads all with the first request that is not for one of them.

    The table of all routes takes a tenth of a start, and what watchers call does not need it.
    """

    def __init__(self, first: Iterable[Route], load_all: Callable[[], Iterable[Route]]) -> None:
        self._first = Router(first)
        self._load_all = load_all
        self._all: Router | None = None

    def find(self, method: str, raw_path: str) -> RouteMatch:
        """See Router.find."""
        if self._all is None:
            with suppress(PathNotFound, NotAllowed, Malformed):
                return self._first.find(method, raw_path)
            self._all = Router(self._load_all())
        return self._all.find(method, raw_path)


def _check_literals(node: _Node) -> None:
    """Raise ValueError if a literal hides a value that the field beside it may have."""
    field = node.children.get(_FIELD)
    for segment, child in node.children.items():
        is_literal = not segment.startswith("/")
        if is_literal and field is not None and _may_be(field.names[-1], segment) and child.shares_a_path_with(field):
            raise ValueError(f"the path segment {segment!r} hides this value of {field.names[-1]!r}")
        _check_literals(child)


def _may_be(field: str, text: str) -> bool:
    """Whether the field of a path may have this value."""
    try:
        msgspec.convert(text, PATH_FIELDS[field].type, strict=False)
    except msgspec.ValidationError:
        return False
    return True


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
