"""A client for programs: each call of `/api/0` is a method.

    with Client("https://days.example", key=key) as client:
        client.create_bucket("editor_laptop", type="app.editor.activity", client="my-editor")
        client.heartbeat("editor_laptop", ClientEvent(timestamp=datetime.now(UTC), data={"file": "a.py"}), pulsetime=60)

Every response other than 2xx raises CallRefused; no response raises ServerUnreachable.
"""

import socket
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any, BinaryIO, Final, Self, TypeVar
from urllib.parse import quote, urlencode

import msgspec
from msgspec import UNSET, UnsetType

from dayline.client.errors import CallRefused, UnexpectedResponse
from dayline.client.key_file import read_key_file
from dayline.client.transport import TIMEOUT_S, Reply, Transport
from dayline.client.types import (
    ClientEvent,
    Deletion,
    ImportReport,
    LogRecord,
    ServerInfo,
    body_of,
    event_of,
    timestamp_of,
)
from dayline.model.bucket import BucketChange, BucketView, NewBucket
from dayline.model.error_body import read_error_body
from dayline.model.errors import Invalid
from dayline.model.event import EventView

T = TypeVar("T")


def successful(reply: Reply) -> Reply:
    """The response, if it is a success. Raises CallRefused with the server's message if it is not."""
    if 200 <= reply.status < 300:
        return reply
    error = read_error_body(reply.status, reply.body)
    raise CallRefused(
        reply.status,
        error.message,
        type=error.type,
        hint=error.hint or None,
        request_id=error.request_id or None,
    )


def value_of(reply: Reply, kind: type[T]) -> T:
    """The decoded body of a success. Raises UnexpectedResponse if it is not what a Dayline server sends."""
    try:
        return msgspec.json.decode(reply.body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UnexpectedResponse(
            f"cannot decode the response: {error}", hint="check that the URL is that of a Dayline server"
        ) from error


LOCAL_URL: Final = "http://localhost:5600"


class Client:
    """A server's API over one persistent connection. Not thread-safe.

    With a `key`, calls send it, but only over TLS or on this machine. With `envelope`, calls are encrypted with it
    instead, over any connection.

    A certificate that the system does not trust is accepted if `ca_file` is the certificate of its authority, or if
    `fingerprint` is its own SHA-256 fingerprint. A pinned certificate is valid for any name and does not expire.
    """

    def __init__(
        self,
        url: str = LOCAL_URL,
        *,
        key: str | None = None,
        ca_file: str | None = None,
        fingerprint: str | None = None,
        envelope: bool = False,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self._transport = Transport(
            url, key=key, ca_file=ca_file, fingerprint=fingerprint, envelope=envelope, timeout_s=timeout_s
        )

    @classmethod
    def from_key_file(
        cls,
        url: str,
        path: str | Path,
        *,
        ca_file: str | None = None,
        fingerprint: str | None = None,
        envelope: bool = False,
        timeout_s: float = TIMEOUT_S,
    ) -> Self:
        """A client with the key in a file. Raises Invalid if there is none."""
        key = read_key_file(path)
        return cls(url, key=key, ca_file=ca_file, fingerprint=fingerprint, envelope=envelope, timeout_s=timeout_s)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection. The next call opens a new one."""
        self._transport.close()

    def __repr__(self) -> str:
        return f"Client({self._transport.url!r})"

    def info(self) -> ServerInfo:
        """The identity of the server; needs no key."""
        return value_of(self._get("/info"), ServerInfo)

    def log(self) -> list[LogRecord]:
        """The latest log records of the server, newest first."""
        return value_of(self._get("/log"), list[LogRecord])

    def buckets(self) -> dict[str, BucketView]:
        """All buckets by id."""
        return value_of(self._get("/buckets/"), dict[str, BucketView])

    def bucket(self, bucket_id: str) -> BucketView:
        """One bucket."""
        return value_of(self._get(_bucket(bucket_id)), BucketView)

    def create_bucket(
        self,
        bucket_id: str,
        *,
        type: str,
        client: str,
        hostname: str | None = None,
        data: Mapping[str, Any] | None = None,
    ) -> bool:
        """Create a bucket. Returns False and changes nothing if it already exists.

        The default `hostname` is that of this machine, not of the server.
        """
        new = NewBucket(
            type=type,
            client=client,
            hostname=socket.gethostname() if hostname is None else hostname,
            data=None if data is None else dict(data),
        )
        reply = self._transport.call("POST", f"/api/0{_bucket(bucket_id)}", body=msgspec.json.encode(new))
        if reply.status == HTTPStatus.NOT_MODIFIED:
            return False
        successful(reply)
        return True

    def update_bucket(
        self,
        bucket_id: str,
        *,
        type: str | UnsetType = UNSET,
        client: str | UnsetType = UNSET,
        hostname: str | UnsetType = UNSET,
        data: dict[str, Any] | UnsetType = UNSET,
    ) -> None:
        """Change only the given fields."""
        self._send("PUT", _bucket(bucket_id), BucketChange(type=type, client=client, hostname=hostname, data=data))

    def delete_bucket(self, bucket_id: str) -> None:
        """Delete a bucket with all its events."""
        self._delete(_bucket(bucket_id))

    def events(
        self, bucket_id: str, *, start: datetime | None = None, end: datetime | None = None, limit: int | None = None
    ) -> list[ClientEvent]:
        """The newest `limit` events that overlap the closed range, newest first, clipped to it."""
        query = {**_range(start, end), **({} if limit is None else {"limit": str(limit)})}
        return _events_of(self._get(f"{_bucket(bucket_id)}/events", query))

    def event(self, bucket_id: str, event_id: int) -> ClientEvent:
        """One event, unclipped."""
        return event_of(value_of(self._get(f"{_bucket(bucket_id)}/events/{event_id}"), EventView))

    def count(self, bucket_id: str, *, start: datetime | None = None, end: datetime | None = None) -> int:
        """The number of events that overlap the closed range."""
        return value_of(self._get(f"{_bucket(bucket_id)}/events/count", _range(start, end)), int)

    def insert(self, bucket_id: str, *events: ClientEvent) -> list[ClientEvent]:
        """Insert events, all or none. Returns them with their ids. An event with an `id` replaces the stored one."""
        return _events_of(self._send("POST", f"{_bucket(bucket_id)}/events", [body_of(event) for event in events]))

    def replace(self, bucket_id: str, event: ClientEvent) -> ClientEvent:
        """Replace the event with the same `id`. Raises Invalid if it has no id."""
        if event.id is None:
            raise Invalid("the event has no id", hint="use an event that the server returned", field="id")
        return self.insert(bucket_id, event)[0]

    def delete_event(self, bucket_id: str, event_id: int) -> bool:
        """Delete an event. Returns whether it existed."""
        return value_of(self._delete(f"{_bucket(bucket_id)}/events/{event_id}"), Deletion).success

    def heartbeat(self, bucket_id: str, event: ClientEvent, pulsetime: float) -> ClientEvent:
        """Report that a state continues. Returns the stored event.

        It is the bucket's last event, extended, if that has the same data and ended at most `pulsetime` seconds before;
        otherwise a new one. An `id` is ignored.
        """
        path, query = f"{_bucket(bucket_id)}/heartbeat", {"pulsetime": repr(float(pulsetime))}
        return event_of(value_of(self._send("POST", path, body_of(event), query), EventView))

    def query(
        self, program: str | Sequence[str], periods: Iterable[tuple[datetime, datetime]], *, name: str = ""
    ) -> list[Any]:
        """The result of a query for each period, in order. A program may be given as lines."""
        body = {
            "query": [program] if isinstance(program, str) else list(program),
            "timeperiods": ["/".join(_range(start, end).values()) for start, end in periods],
        }
        return value_of(self._send("POST", "/query/", body, {"name": name} if name else {}), list[Any])

    def settings(self) -> dict[str, Any]:
        """All settings by key."""
        return value_of(self._get("/settings"), dict[str, Any])

    def setting(self, key: str) -> Any:
        """One setting; None if it is not set."""
        return value_of(self._get(_setting(key)), object)

    def set_setting(self, key: str, value: object) -> None:
        """Store any JSON value."""
        self._send("POST", _setting(key), value)

    def delete_setting(self, key: str) -> None:
        """Delete a setting, if it is set."""
        self._delete(_setting(key))

    def export_bucket(self, bucket_id: str) -> bytes:
        """A bucket with all its events, as a document for `import_documents`."""
        return self._get(f"{_bucket(bucket_id)}/export").body

    def export(self) -> bytes:
        """All buckets with their events, as a document for `import_documents`."""
        return self._get("/export").body

    def import_documents(self, *documents: Path | BinaryIO) -> ImportReport:
        """Import documents one after the other. Returns the totals.

        Files are streamed; in an envelope each is read into memory.
        """
        report = ImportReport()
        for document in documents:
            if isinstance(document, Path):
                with document.open("rb") as file:
                    report += self._import(file)
            else:
                report += self._import(document)
        return report

    def _import(self, document: BinaryIO) -> ImportReport:
        return value_of(successful(self._transport.call("POST", "/api/0/import", body=document)), ImportReport)

    def _get(self, path: str, query: Mapping[str, str] = {}) -> Reply:
        return successful(self._transport.call("GET", f"/api/0{path}", query=urlencode(query)))

    def _delete(self, path: str) -> Reply:
        return successful(self._transport.call("DELETE", f"/api/0{path}"))

    def _send(self, method: str, path: str, body: object, query: Mapping[str, str] = {}) -> Reply:
        content = msgspec.json.encode(body)
        return successful(self._transport.call(method, f"/api/0{path}", query=urlencode(query), body=content))


def _events_of(reply: Reply) -> list[ClientEvent]:
    return [event_of(view) for view in value_of(reply, list[EventView])]


def _bucket(bucket_id: str) -> str:
    return f"/buckets/{quote(bucket_id, safe='')}"


def _setting(key: str) -> str:
    return f"/settings/{quote(key, safe='')}"


def _range(start: datetime | None, end: datetime | None) -> dict[str, str]:
    bounds = {"start": start, "end": end}
    return {name: timestamp_of(time, field=name) for name, time in bounds.items() if time is not None}
