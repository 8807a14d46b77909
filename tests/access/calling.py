"""Calls of every kind, drawn from the route table: for what must hold whatever is called, and however it is spelt."""

from collections.abc import Callable, Sequence
from typing import Any, Final, Literal, TypeVar

import msgspec
from hypothesis import strategies as st
from msgspec import Struct

from dayline.api.http.route import Route
from dayline.api.routes import ROUTES
from tests.access.watching import heartbeat

T = TypeVar("T")

Way = Literal["key", "session", "envelope"]

OWN: Final = "own"
NEW: Final = "new-one"  # of the key's own names, and not there at first
# Equally long, so that answers about them can be compared to the byte.
FOREIGN: Final = "b-foreign"
UNKNOWN: Final = "b-unknown"

_METHODS: Final = ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "TRACE", "OPTIONS", "FOO")
_BENDINGS: Final[dict[str, Callable[[str], str]]] = {
    "as it is": lambda path: path,
    "slash behind": lambda path: f"{path}/",
    "two slashes behind": lambda path: f"{path}//",
    "two slashes before": lambda path: f"/{path}",
    "two slashes within": lambda path: path.replace("/buckets/", "//buckets///"),
    "encoded letter": lambda path: path.replace("o", "%6F"),
    "encoded twice": lambda path: path.replace("o", "%256F"),
    "encoded slash": lambda path: path[:10] + path[10:].replace("/", "%2F", 1),
    "encoded slashes": lambda path: f"/{path[1:].replace('/', '%2f')}",
    "dot": lambda path: path.replace("/buckets/", "/./buckets/"),
    "up and down": lambda path: path.replace("/buckets/", f"/buckets/{OWN}/../"),
    "encoded up": lambda path: path.replace("/buckets/", f"/buckets/{OWN}%2F..%2F"),
    "parameter": lambda path: f"{path};bucket={OWN}",
    "other version": lambda path: path.replace("/api/0/", "/api/1/"),
    "capitals": lambda path: path.upper(),
}
_QUERIES: Final = ("", "pulsetime=3600", "pulsetime=x", "limit=5", "start=2000-01-01&end=2100-01-01", f"bucket={OWN}")
_PROGRAMS: Final = (
    'RETURN = query_bucket("{bucket}");',
    'RETURN = find_bucket("f");',
    "RETURN = query_bucket_names();",
)
_ALL_TIME: Final = "2000-01-01T00:00:00Z/2100-01-01T00:00:00Z"
_FIELDS: Final = {"client": "c", "type": "t", "hostname": "h"}


class Drawn(Struct, frozen=True, kw_only=True):
    """A call that is complete but for the bucket's name, so that it can be made about another one as well."""

    route: Route
    method: str
    bucket: str
    fields: dict[str, str]
    body: Any  # JSON in which {bucket} means the name; None for no body
    way: Way
    bending: str = "as it is"
    query: str = "pulsetime=3600"
    is_broken: bool = False
    media: str = "application/json"

    def path(self, bucket: str) -> str:
        path = self.route.path
        for name, value in {**self.fields, "bucket_id": bucket}.items():
            path = path.replace(f"{{{name}}}", value)
        return _BENDINGS[self.bending](path)

    def sent_body(self, bucket: str) -> bytes | None:
        if self.body is None:
            return None
        text = msgspec.json.encode(self.body).replace(b"{bucket}", bucket.encode())
        return text[:-1] if self.is_broken else text

    @property
    def is_plain(self) -> bool:
        """Whether it calls exactly what its route is for, in the way that documentation spells it."""
        return self.bending == "as it is" and ("GET" if self.method == "HEAD" else self.method) == self.route.method


def calls(*, event_ids: list[int], key_ids: list[str], settings: list[str]) -> st.SearchStrategy[Drawn]:
    """Any call, with ids of things that are there. Most are such as get past the first check."""
    fields = st.fixed_dictionaries(
        {
            "event_id": st.sampled_from([*map(str, event_ids), "0", "count", "99999999"]),
            "key_id": st.sampled_from([*key_ids, "aaaaaaaa"]),
            "key": st.sampled_from([*settings, "theme"]),
            "redaction_id": st.sampled_from(["1", "99"]),
            "name": st.just("page"),
            "file*": st.sampled_from(["index.html", "..%2F..%2Fdays.db", "../../days.db"]),
        }
    )

    def of_route(route: Route) -> st.SearchStrategy[Drawn]:
        return st.builds(
            Drawn,
            route=st.just(route),
            method=_mostly(route.method, _METHODS),
            bucket=st.sampled_from([OWN, NEW, FOREIGN, FOREIGN]),
            fields=fields,
            bending=_mostly("as it is", list(_BENDINGS)),
            query=_mostly("pulsetime=3600", _QUERIES),
            body=st.one_of(_fitting(route, event_ids), _fitting(route, event_ids), _bodies(event_ids)),
            is_broken=_mostly(False, [True]),
            media=_mostly("application/json", ["application/json; charset=utf-8", "text/plain"]),
            way=st.sampled_from(["key", "key", "session", "envelope"]),
        )

    of_buckets = [route for route in ROUTES if "{bucket_id}" in route.path]
    return st.sampled_from([*of_buckets * 4, *ROUTES]).flatmap(of_route)


def _mostly(usual: T, others: Sequence[T]) -> st.SearchStrategy[T]:
    """The usual one three times in four."""
    return st.integers(0, 3).flatmap(lambda turn: st.just(usual) if turn else st.sampled_from(others))


def _fitting(route: Route, event_ids: list[int]) -> st.SearchStrategy[Any]:
    """A body that the call can use."""
    match route.name:
        case "send_heartbeat" | "insert_events":
            return st.one_of(_events(event_ids), st.lists(_events(event_ids), min_size=1, max_size=3))
        case "run_query" | "run_query_with_statistics" | "explain_query":
            return st.sampled_from(_PROGRAMS).map(lambda text: {"query": [text], "timeperiods": [_ALL_TIME]})
        case "import_documents":
            return st.just({"buckets": {"{bucket}": {**_FIELDS, "id": "{bucket}", "events": [heartbeat("12:00:00")]}}})
        case "send_enveloped":
            return st.none()
        case _:
            return st.just(None if route.body is None else route.body.example)


def _events(event_ids: list[int]) -> st.SearchStrategy[dict[str, Any]]:
    return st.builds(
        heartbeat,
        st.sampled_from(["10:00:00", "10:00:30", "11:00:00", "23:59:59"]),
        app=st.sampled_from(["editor", "browser"]),
        id=st.sampled_from([None, *event_ids, 10**6]),
    )


def _bodies(event_ids: list[int]) -> st.SearchStrategy[Any]:
    """Bodies that fit some call, or none."""
    return st.one_of(
        st.none(),
        _events(event_ids),
        st.just(_FIELDS),
        st.just({"name": "another", "scope": "full"}),
        st.recursive(st.none() | st.integers(0, 9) | st.just("{bucket}"), lambda inner: st.lists(inner, max_size=2)),
    )
