"""`Watcher`: records what is true on this computer, for programs of your own.

with Watcher("my-editor", type="app.editor.activity", pulsetime_s=30) as watcher:
    while True:
        watcher.heartbeat({"file": current_file()})
        time.sleep(10)
"""

import os
import re
import socket
import threading
import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, Self

import msgspec

from dayline.client.address import parse_address
from dayline.client.forwarder import Forwarder
from dayline.client.link import Link
from dayline.client.pending import PendingEvents
from dayline.client.queue import CallQueue
from dayline.client.queued_call import Creation, Heartbeat
from dayline.client.transport import TIMEOUT_S, Transport
from dayline.model.bucket import NewBucket
from dayline.model.data import canonical_json
from dayline.model.errors import Invalid, StoreLocked
from dayline.model.event import Event
from dayline.model.time import SECOND, Microseconds
from dayline.runtime.worker import WorkerThreads

LOCAL_URL: Final = "http://localhost:5600"
SEND_INTERVAL_S: Final = 5.0  # while the data stays the same; new data is sent at once
CLOSE_S: Final = 3.0  # for what is still to be sent when the watcher closes; the rest waits in the queue
_RETRY_S: Final = 1.0  # after the queue could not be written
_MAX_RETRY_S: Final = 60.0
_POLL_S: Final = 0.02
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


class Watcher:
    """Records into the bucket `NAME_HOSTNAME`, which it creates. Methods may be called from any thread.

    Heartbeats are merged, stored in a queue file and sent by threads of the watcher. While the server does not answer,
    they wait in the file; a watcher of the same name sends them after the next start. A heartbeat that was stored is
    sent until the server has accepted it, and recorded once.

    `pulsetime_s` is how far two heartbeats with the same data may be apart to become one event. Without a `url`, it is
    the one in the environment variable DAYLINE_URL, or this computer's server. `key`, `ca_file`,
    `fingerprint` and `envelope` are those of `Client`. Raises StoreLocked if a watcher of this name is running, and
    StoreUnusable if the queue file cannot be opened.
    """

    def __init__(
        self,
        name: str,
        *,
        type: str,
        pulsetime_s: float,
        url: str | None = None,
        key: str | None = None,
        ca_file: str | None = None,
        fingerprint: str | None = None,
        envelope: bool = False,
        hostname: str | None = None,
        queue_file: Path | None = None,
        timeout_s: float = TIMEOUT_S,
        is_paused: bool = False,
    ) -> None:
        url = url or os.environ.get("DAYLINE_URL") or LOCAL_URL
        hostname = hostname or socket.gethostname()
        self.bucket_id = f"{name}_{hostname}"
        self._pulsetime: Microseconds = round(pulsetime_s * SECOND)
        # Before the file is opened: an invalid address or certificate leaves none behind.
        transport = Transport(
            url, key=key, ca_file=ca_file, fingerprint=fingerprint, envelope=envelope, timeout_s=timeout_s
        )
        self._queue = _open_queue(queue_file or default_queue_file(self.bucket_id, url), self.bucket_id)
        self._before = self._queue.last_number()
        self._creation = Creation(
            bucket_id=self.bucket_id,
            body=msgspec.json.encode(NewBucket(type=type, client=name, hostname=hostname)),
        )
        self._lock = threading.Lock()
        self._pending = PendingEvents(self.bucket_id, pulsetime=self._pulsetime)  # not stored yet
        self._last_stored: Event | None = None
        self._send_at = 0.0  # monotonic
        self._is_closed = False
        workers = WorkerThreads()
        self._link = Link(url)
        self._forwarder = Forwarder(self._queue, transport, self._link, workers, is_enveloped=envelope)
        if is_paused:
            self._forwarder.pause()
        self._storing = workers.thread(
            f"storing heartbeats of {name}", self._store, interval_s=None, retry_s=_RETRY_S, max_retry_s=_MAX_RETRY_S
        )
        self._storing.start()
        self._forwarder.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def heartbeat(
        self, data: Mapping[str, Any], *, timestamp: datetime | None = None, duration: timedelta = timedelta()
    ) -> None:
        """Record that this is true, now or at `timestamp`, for `duration`. Returns at once.

        Raises Invalid for data that JSON cannot hold and for a time without a zone, and nothing else.
        """
        try:
            content = canonical_json(dict(data))
        except (TypeError, ValueError, RecursionError) as error:
            raise Invalid(f"the data of a heartbeat must be a JSON object: {error}", field="data") from error
        timestamp = datetime.now(UTC) if timestamp is None else timestamp
        if timestamp.tzinfo is None:
            raise Invalid("timestamp has no time zone", hint="datetime.now(UTC) has one", field="timestamp")
        event = Event(start=(timestamp - _EPOCH) // _MICROSECOND, duration=duration // _MICROSECOND, data=content)
        with self._lock:
            if self._is_closed:
                raise Invalid("the watcher is closed")
            self._pending.add(event)
        self._storing.wake()

    @property
    def waiting(self) -> int:
        """How many calls the server has not accepted yet, after what is stored."""
        return self._queue.state(refusals=0).waiting

    @property
    def problem(self) -> str | None:
        """Why nothing can be sent at present; None if nothing is wrong."""
        return self._link.state().reason

    def pause(self) -> None:
        """Store heartbeats without sending them."""
        self._forwarder.pause()

    def resume(self) -> None:
        """Send what is stored, and what follows."""
        self._forwarder.resume()

    def discard(self) -> None:
        """Delete the heartbeats of this watcher that were not sent yet. Those of an earlier run stay."""
        with self._lock:
            self._pending.take()
        self._queue.discard(self.bucket_id, after=self._before)
        self._last_stored = None

    def close(self, timeout_s: float = CLOSE_S) -> None:
        """Store all heartbeats, and send them if that takes no longer than `timeout_s`; the rest stays in the queue.

        Raises StoreUnusable if the queue cannot be written.
        """
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
        self._storing.close()
        try:
            self._store()
            deadline = time.monotonic() + timeout_s
            while self._is_sending() and time.monotonic() < deadline:
                time.sleep(_POLL_S)
            self._forwarder.begin_stop()
            self._forwarder.join(max(0.0, deadline - time.monotonic()))
        finally:
            self._queue.close()

    def _is_sending(self) -> bool:
        return not self._forwarder.is_paused and self._link.state().state != "away" and self.waiting > 0

    def _store(self) -> float | None:
        """Put pending heartbeats into the queue. Returns the seconds until they are to be sent."""
        with self._lock:
            events = self._pending.take()
        if not events:
            return self._send(is_due=False)
        last = self._last_stored
        try:
            # The creation is refused as a duplicate in all but the first call.
            calls = [Heartbeat(bucket_id=self.bucket_id, event=event, pulsetime=self._pulsetime) for event in events]
            self._queue.add([self._creation, *calls])
        except BaseException:
            with self._lock:
                self._pending.put_back(events)
            raise
        self._last_stored = events[-1]
        return self._send(is_due=last is None or any(event.data != last.data for event in events))

    def _send(self, *, is_due: bool) -> float | None:
        now = time.monotonic()
        if not is_due and now < self._send_at and not self._is_closed:
            return self._send_at - now
        self._send_at = now + SEND_INTERVAL_S
        self._forwarder.wake()
        return None


def default_queue_file(bucket_id: str, url: str) -> Path:
    """The queue of a bucket and a server, in the user's data folder."""
    import platformdirs  # here, because a watcher that is given a file does without it

    address = parse_address(url)
    name = re.sub(r"[^A-Za-z0-9._-]", "-", f"{bucket_id}-{address.host}-{address.port}")
    return Path(platformdirs.user_data_dir("dayline", appauthor=False)) / "watchers" / f"{name}.db"


def _open_queue(path: Path, bucket_id: str) -> CallQueue:
    try:
        return CallQueue(path)
    except StoreLocked as error:
        raise StoreLocked(
            f"a watcher for the bucket {bucket_id} is running already", hint=f"it uses the queue {path}"
        ) from error
