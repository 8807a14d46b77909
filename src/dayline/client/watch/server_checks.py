"""What a watcher asks the server for: the privacy rules, and whether another watcher records into its buckets."""

import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path
from typing import Final

import msgspec

from dayline.client.client import value_of
from dayline.client.errors import ClientError
from dayline.client.transport import Reply, Transport
from dayline.client.watch.outlet import Outlet, Span, State
from dayline.model.bucket import bucket_path
from dayline.model.errors import DaylineError
from dayline.model.event import EventView
from dayline.model.privacy.rules import RuleBook
from dayline.model.time import SECOND, parse_timestamp
from dayline.runtime.files import make_folders
from dayline.runtime.spool import read_private, write_private
from dayline.transform.privacy import PrivacyRules

log = logging.getLogger(__name__)

_INTERVALS_S: Final[dict[State, float]] = {"checking": 2.0, "quiet": 15.0, "recording": 10.0}
_RULES_S: Final = 60.0  # how long a changed rule may take to apply here; the server applies it at once
_RULES: Final = "/api/1/privacy/rules"
_NOT_READABLE: Final = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)


class RuleCache:
    """The privacy rules of the server, and a copy in a file for the time when it cannot be reached."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._text: bytes | None = None
        self.rules: PrivacyRules | None = None
        # Without a usable file, the server is asked before anything is recorded.
        with suppress(OSError, msgspec.DecodeError, DaylineError):
            self._use(read_private(file))

    def update(self, text: bytes) -> bool:
        """Use these rules from now on. Returns whether they were unknown before."""
        was_unknown = self.rules is None
        if text != self._text:
            self._use(text)
            self._write(text)
        return was_unknown

    def _use(self, text: bytes) -> None:
        self.rules = PrivacyRules(msgspec.json.decode(text, type=RuleBook))
        self._text = text

    def _write(self, text: bytes) -> None:
        try:
            make_folders(self._file.parent)
            write_private(self._file, text)
        except OSError as error:
            log.warning("Cannot store the privacy rules in %s: %s", self._file, error.strerror)


class ServerChecks:
    """Runs the checks, on a thread of its own. `on_rules` is called when the rules become known."""

    def __init__(
        self,
        transport: Transport,
        outlets: Sequence[Outlet],
        cache: RuleCache,
        *,
        on_rules: Callable[[], None],
        on_state: Callable[[Outlet, State], None],
    ) -> None:
        self._transport = transport
        self.close = transport.close
        self._outlets = outlets
        self._cache = cache
        self._on_rules = on_rules
        self._on_state = on_state
        self._is_rules_warned = False
        self._rules_due = 0.0  # monotonic

    def run(self) -> float | None:
        """Check everything once. Returns the seconds until the next time. Raises ClientError without a server."""
        if time.monotonic() >= self._rules_due:
            self._read_rules()
            self._rules_due = time.monotonic() + _RULES_S
        for outlet in self._outlets:
            before = outlet.guard.state
            state = outlet.check(self._newest(outlet.bucket_id))
            if state != before:
                self._on_state(outlet, state)
        return min(_INTERVALS_S[outlet.guard.state] for outlet in self._outlets)

    def _read_rules(self) -> None:
        reply = self._transport.call("GET", _RULES)
        if reply.status == HTTPStatus.OK:
            is_new = self._cache.update(reply.body)
        elif reply.status in _NOT_READABLE or reply.status == HTTPStatus.NOT_FOUND:
            # A key that only records, or a server of ActivityWatch. Dayline applies its rules to what arrives, too.
            if not self._is_rules_warned:
                log.warning("The privacy rules cannot be read (%d): the server applies them", reply.status)
                self._is_rules_warned = True
            is_new = self._cache.rules is None
            if is_new:
                self._cache.rules = PrivacyRules(RuleBook())
        else:
            raise ClientError(f"the server answers {reply.status} to a request for its privacy rules")
        if is_new:
            self._on_rules()

    def _newest(self, bucket_id: str) -> Span | None:
        reply = self._transport.call("GET", f"{bucket_path(bucket_id)}/events", query="limit=1")
        if reply.status == HTTPStatus.NOT_FOUND or reply.status in _NOT_READABLE:
            return None
        return _span_of(reply)


def _span_of(reply: Reply) -> Span | None:
    if reply.status != HTTPStatus.OK:
        raise ClientError(f"the server answers {reply.status} to a request for the newest event")
    events = value_of(reply, list[EventView])
    if not events:
        return None
    start = parse_timestamp(events[0].timestamp)
    return Span(start, start + round(events[0].duration * SECOND))
