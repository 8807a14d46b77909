"""Export documents for imports to take."""

from collections.abc import Sequence
from typing import Any

import msgspec

from tests.support.server import Answer, RunningServer

Event = dict[str, Any]


def bucket_entry(bucket_id: str | None, events: Sequence[object] | None = None, **more: object) -> dict[str, Any]:
    """A bucket as a document holds it; None leaves out its id or its events."""
    entry: dict[str, Any] = {"type": "t", "client": "c", "hostname": "h", **more}
    if bucket_id is not None:
        entry["id"] = bucket_id
    if events is not None:
        entry["events"] = events
    return entry


def document(bucket_id: str, events: Sequence[object], **more: object) -> dict[str, Any]:
    """A document of one bucket."""
    return {"buckets": {bucket_id: bucket_entry(bucket_id, events, **more)}}


def report(*, buckets: int = 1, imported: int = 0, skipped: int = 0, invalid: int = 0) -> dict[str, int]:
    """What an import answers."""
    return {"buckets": buckets, "imported": imported, "skipped": skipped, "invalid": invalid}


def import_json(server: RunningServer, body: object) -> Answer:
    return server.post("/api/0/import", body)


def import_text(server: RunningServer, text: bytes) -> Answer:
    return server.call("POST", "/api/0/import", raw=text)


def import_form(server: RunningServer, *files: bytes, name: str = "buckets.json") -> Answer:
    """Import files as a browser's form sends them."""
    head = b'Content-Disposition: form-data; name="%b"; filename="%b"\r\nContent-Type: application/json\r\n\r\n'
    return import_parts(server, *(head % (name.encode(), name.encode()) + file for file in files))


def import_parts(server: RunningServer, *parts: bytes, end: bytes = b"--bound--\r\n") -> Answer:
    """Import a form whose parts are given with their headers."""
    body = b"".join(b"--bound\r\n%s\r\n" % part for part in parts) + end
    return server.call(
        "POST", "/api/0/import", raw=body, headers={"Content-Type": "multipart/form-data; boundary=bound"}
    )


def text_of(value: object) -> bytes:
    return msgspec.json.encode(value)


def everything(server: RunningServer) -> Any:
    """All that the server holds, to see that nothing has changed."""
    return server.get("/api/0/export").json
