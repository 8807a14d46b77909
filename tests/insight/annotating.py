"""Annotations over a real server."""

from typing import Any

from tests.support.server import Answer, RunningServer

LIST = "/api/1/annotations"


def span(start: str, end: str) -> dict[str, str]:
    """A span of the day that tests look at."""
    return {"start": f"2026-03-05T{start}:00Z", "end": f"2026-03-05T{end}:00Z"}


def annotate(server: RunningServer, kind: str, start: str, end: str, **fields: object) -> dict[str, Any]:
    """A new annotation, as the server reports it."""
    answer = server.post(LIST, {"kind": kind, **span(start, end), **fields})
    assert answer.status == 201, answer.body
    made: dict[str, Any] = answer.json
    return made


def listed(server: RunningServer, query: str = "") -> list[str]:
    """The labels of annotations, as they are listed."""
    answer = server.get(f"{LIST}?{query}")
    assert answer.status == 200, answer.body
    return [str(each["label"]) for each in answer.json["annotations"]]


def changed(server: RunningServer, made: dict[str, Any], tag: str | None = None, **fields: object) -> Answer:
    """Change an annotation; with an ETag, only that one."""
    headers = {} if tag is None else {"If-Match": tag}
    return server.call("PATCH", f"{LIST}/{made['id']}", fields, headers=headers)
