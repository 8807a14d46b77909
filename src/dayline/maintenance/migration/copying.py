"""Copies the buckets and settings of a source into Dayline, and verifies the copy."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Final, TypeAlias
from urllib.parse import quote

import msgspec
from msgspec import Raw

from dayline.config.sections import Limits
from dayline.maintenance.migration.ledger import Ledger
from dayline.maintenance.migration.model import CopiedBucket, CopiedSettings, LeftOut, Migrated
from dayline.maintenance.migration.sources import Source, SourceBucket
from dayline.maintenance.migration.stored import EVENTS_AT_ONCE, Calls, StoredEvents, stored_buckets
from dayline.model.bucket import Alias, bucket_path
from dayline.model.data import CanonicalJson, canonical_json
from dayline.model.errors import Invalid, Malformed
from dayline.model.event import Event, encode_event
from dayline.model.privacy.rules import RuleBook
from dayline.storage.transfer.report import ImportReport
from dayline.transform.privacy import PrivacyRules

EVENTS_PER_CALL: Final = 50_000  # about 10 MB of JSON

_Rules: TypeAlias = Callable[[CanonicalJson], CanonicalJson | None]


class Copier:
    """Copies from one source into one server. `on_events` is called with the number of events just sent or skipped.

    Each event is also read once before and once afterwards for the proof: `on_reads` counts both. `at_once` is the max
    number of our events per call.
    """

    def __init__(
        self,
        source: Source,
        server: Calls,
        ledger: Ledger,
        *,
        on_events: Callable[[int], None],
        on_reads: Callable[[int], None] = lambda _: None,
        at_once: int = EVENTS_AT_ONCE,
    ) -> None:
        self._source = source
        self._server = server
        self._ledger = ledger
        self._on_events = on_events
        self._on_reads = on_reads
        self._at_once = at_once
        # The privacy rules apply to imported events, and so also to what they are compared with.
        self._rules = PrivacyRules(msgspec.convert(server.call("GET", "/api/1/privacy/rules"), RuleBook))
        self._max_data_bytes = _max_data_bytes(server)
        aliases = msgspec.convert(server.call("GET", "/api/1/aliases"), list[Alias])
        self._own_ids = {alias.id: alias.bucket for alias in aliases}

    def copy(self, bucket: SourceBucket) -> CopiedBucket:
        """Copy what is missing of a bucket, then read both sides again for the proof."""
        self._ledger.clear()
        reading = self._read(bucket)
        distinct = self._ledger.note_source(self._counted(reading))
        self._note_target(bucket)
        extended = self._extend(bucket)
        imported = self._import(bucket)
        self._note_target(bucket, is_counted=True)
        return CopiedBucket(
            bucket=bucket.id,
            events=reading.events,
            left_out=reading.left_out,
            repeated=reading.events - distinct,
            imported=imported,
            extended=extended,
            proof=self._ledger.compare(),
        )

    def preview(self, bucket: SourceBucket) -> CopiedBucket:
        """What `copy` would do. Its proof compares the current state."""
        self._ledger.clear()
        reading = self._read(bucket)
        distinct = self._ledger.note_source(reading)
        self._note_target(bucket)
        extended, proof = len(self._ledger.extended()), self._ledger.compare()
        self._on_events(reading.events)
        return CopiedBucket(
            bucket=bucket.id,
            events=reading.events,
            left_out=reading.left_out,
            repeated=reading.events - distinct,
            imported=proof.source.events - proof.target.events - extended,
            extended=extended,
            proof=proof,
        )

    def _note_target(self, bucket: SourceBucket, *, is_counted: bool = False) -> None:
        stored = stored_buckets(self._server).get(self._own_id(bucket))
        events: Iterable[Event] = [] if stored is None else StoredEvents(self._server, stored, at_once=self._at_once)
        self._ledger.note_target(self._counted(events) if is_counted else events)

    def _read(self, bucket: SourceBucket) -> "_Reading":
        rules = partial(self._rules.applied, bucket.id, own_id=self._own_id(bucket))
        return _Reading(self._source, bucket, rules, self._max_data_bytes)

    def _own_id(self, bucket: SourceBucket) -> str:
        return self._own_ids.get(bucket.id, bucket.id)

    def _counted(self, events: Iterable[Event]) -> Iterator[Event]:
        for event in events:
            self._on_reads(1)
            yield event

    def _extend(self, bucket: SourceBucket) -> int:
        """Update events that were still being extended when they were copied before."""
        extended = self._ledger.extended()
        for event_id, duration in extended:
            path = bucket_path(bucket.id)
            event = self._server.call("GET", f"{path}/events/{event_id}")
            self._server.call("POST", f"{path}/events", [{**event, "duration": duration / 1_000_000}])
        if extended:
            self._note_target(bucket)
        return len(extended)

    def _import(self, bucket: SourceBucket) -> int:
        imported = 0
        # At least one document, even if the bucket has no events.
        wanted = self._missing(bucket)
        is_first = True
        while (events := list(islice(wanted, EVENTS_PER_CALL))) or is_first:
            document = msgspec.Raw(_document(bucket, events))
            report = msgspec.convert(self._server.call("POST", "/api/0/import", document), ImportReport)
            imported += report.imported
            is_first = False
        return imported

    def _missing(self, bucket: SourceBucket) -> Iterator[Event]:
        for event in self._read(bucket):
            self._on_events(1)
            if self._ledger.is_missing(event):
                yield event


class _Reading:
    """The source's events after the privacy rules, and a count of those left out."""

    def __init__(self, source: Source, bucket: SourceBucket, applied: _Rules, max_data_bytes: int) -> None:
        self._source = source
        self._bucket = bucket
        self._applied = applied
        self._max_data_bytes = max_data_bytes
        self.events = 0
        self.left_out: dict[LeftOut, int] = {}

    def __iter__(self) -> Iterator[Event]:
        for item in self._source.events(self._bucket):
            event = item if isinstance(item, LeftOut) else self._filter(item)
            if isinstance(event, LeftOut):
                self.left_out[event] = self.left_out.get(event, 0) + 1
            else:
                self.events += 1
                yield event

    def _filter(self, event: Event) -> Event | LeftOut:
        if len(event.data) > self._max_data_bytes:  # as the server's import checks it
            return LeftOut.TOO_LARGE
        data = self._applied(event.data)
        if data is None:
            return LeftOut.DROPPED
        return event if data is event.data else msgspec.structs.replace(event, data=data)


def _max_data_bytes(server: Calls) -> int:
    """The limit of the server for the data of an event."""
    facts = server.call("GET", "/api/1/server")
    values = {setting["name"]: setting["value"] for setting in facts["settings"]}
    return int(values.get("limits.event_kib", Limits().event_kib)) << 10


def _document(bucket: SourceBucket, events: list[Event]) -> bytes:
    """An export document with one bucket."""
    head = {name: getattr(bucket, name) for name in ("id", "type", "client", "hostname", "created", "data")}
    text = msgspec.json.encode(head).removesuffix(b"}")
    return b'{"buckets":{%b:%b,"events":[%b]}}}' % (
        msgspec.json.encode(bucket.id),
        text,
        b",".join(map(encode_event, events)),
    )


def copy_settings(source: Source, server: Calls, *, overwrite: bool) -> CopiedSettings:
    """Set the settings that are not set here; with `overwrite` also those with another value."""
    outcome = CopiedSettings(copied=[], same=[], kept=[], refused={})
    current = server.call("GET", "/api/0/settings/")
    for key, value in source.settings.items():
        if key in current and canonical_json(current[key]) == canonical_json(value):
            outcome.same.append(key)
        elif key in current and not overwrite:
            outcome.kept.append(key)
        else:
            try:
                # As raw JSON, because a value of null is a body too.
                server.call("POST", f"/api/0/settings/{quote(key, safe='')}", Raw(canonical_json(value)))
                outcome.copied.append(key)
            except (Invalid, Malformed) as error:
                outcome.refused[key] = error.message
    return outcome


def migrate_source(
    source: Source,
    server: Calls,
    ledger: Ledger,
    *,
    overwrite_settings: bool = False,
    on_events: Callable[[int], None],
    on_reads: Callable[[int], None] = lambda _: None,
    on_bucket: Callable[[str], None] = lambda _: None,
    at_once: int = EVENTS_AT_ONCE,
) -> Migrated:
    """Copy what is missing, and verify it. `on_bucket` is called before each bucket; for the others see Copier."""
    # Settings first: they may include privacy filters, which then apply to the events.
    settings = copy_settings(source, server, overwrite=overwrite_settings)
    copier = Copier(source, server, ledger, on_events=on_events, on_reads=on_reads, at_once=at_once)
    buckets: list[CopiedBucket] = []
    for bucket in source.buckets():
        on_bucket(bucket.id)
        buckets.append(copier.copy(bucket))
    return Migrated(path=str(source.path), settings=settings, buckets=buckets)
