"""Copies the buckets and settings of a source into Dayline, and verifies the copy."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Annotated, Final
from urllib.parse import quote

import msgspec
from msgspec import Meta, Raw, Struct

from dayline.maintenance.migration.ledger import Comparison, Ledger, Sums
from dayline.maintenance.migration.sources import LeftOut, Source, SourceBucket
from dayline.maintenance.migration.stored import EVENTS_AT_ONCE, Calls, StoredEvents, bucket_path, stored_buckets
from dayline.model.data import canonical_json
from dayline.model.errors import Invalid, Malformed
from dayline.model.event import Event, encode_event
from dayline.model.privacy import RuleBook
from dayline.model.time import SECOND
from dayline.storage.store import ImportReport
from dayline.transform.privacy import PrivacyRules

EVENTS_A_CALL: Final = 50_000  # some 10 MB of JSON: little memory, and few calls


class CopiedBucket(Struct, frozen=True, kw_only=True):
    """What became of a bucket of theirs.

    `events` are those that were usable; of these `repeated` ones were there more than once, which Dayline keeps once.
    `imported` are new here, `extended` were here and have become longer there.
    """

    bucket: str
    events: int
    left_out: dict[LeftOut, int]
    repeated: int
    imported: int
    extended: int
    proof: Comparison


class Copier:
    """Copies from one source into one server. `on_events` is told how many more were sent or found to be here.

    Before that each is read once, and after it once more for the proof: `on_reads` is told of both. `at_once` is how
    many of ours come with one call.
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
        # What arrives here passes the privacy rules. So does what it is compared with.
        self._rules = PrivacyRules(msgspec.convert(server.call("GET", "/api/1/privacy/rules"), RuleBook))

    def copy(self, bucket: SourceBucket) -> CopiedBucket:
        """Copy what is missing of a bucket; its proof is made by reading everything again."""
        self._ledger.clear()
        reading = _Reading(self._source, bucket, self._rules)
        distinct = self._ledger.note_theirs(self._told(reading))
        self._note_ours(bucket)
        extended = self._extend(bucket)
        imported = self._import(bucket)
        self._note_ours(bucket, is_told=True)
        return CopiedBucket(
            bucket=bucket.id,
            events=reading.events,
            left_out=reading.left_out,
            repeated=reading.events - distinct,
            imported=imported,
            extended=extended,
            proof=self._ledger.compared(),
        )

    def preview(self, bucket: SourceBucket) -> CopiedBucket:
        """What `copy` would do. Its proof compares what there is now."""
        self._ledger.clear()
        reading = _Reading(self._source, bucket, self._rules)
        distinct = self._ledger.note_theirs(reading)
        self._note_ours(bucket)
        extended, proof = len(self._ledger.grown()), self._ledger.compared()
        self._on_events(reading.events)
        return CopiedBucket(
            bucket=bucket.id,
            events=reading.events,
            left_out=reading.left_out,
            repeated=reading.events - distinct,
            imported=proof.theirs.events - proof.ours.events - extended,
            extended=extended,
            proof=proof,
        )

    def _note_ours(self, bucket: SourceBucket, *, is_told: bool = False) -> None:
        stored = stored_buckets(self._server).get(bucket.id)
        events: Iterable[Event] = [] if stored is None else StoredEvents(self._server, stored, at_once=self._at_once)
        self._ledger.note_ours(self._told(events) if is_told else events)

    def _told(self, events: Iterable[Event]) -> Iterator[Event]:
        for event in events:
            self._on_reads(1)
            yield event

    def _extend(self, bucket: SourceBucket) -> int:
        """Bring events up to date that were still being extended when they were copied before."""
        grown = self._ledger.grown()
        for event_id, duration in grown:
            path = bucket_path(bucket.id)
            event = self._server.call("GET", f"{path}/events/{event_id}")
            self._server.call("POST", f"{path}/events", [{**event, "duration": duration / 1_000_000}])
        if grown:
            self._note_ours(bucket)
        return len(grown)

    def _import(self, bucket: SourceBucket) -> int:
        imported = 0
        # At least one document, also of a bucket without events.
        wanted = self._wanted(bucket)
        is_first = True
        while (events := list(islice(wanted, EVENTS_A_CALL))) or is_first:
            document = msgspec.Raw(_document(bucket, events))
            report = msgspec.convert(self._server.call("POST", "/api/0/import", document), ImportReport)
            imported += report.imported
            is_first = False
        return imported

    def _wanted(self, bucket: SourceBucket) -> Iterator[Event]:
        for event in _Reading(self._source, bucket, self._rules):
            self._on_events(1)
            if self._ledger.is_wanted(event):
                yield event


class _Reading:
    """Their events as they are to be here, and a count of those that are not to be."""

    def __init__(self, source: Source, bucket: SourceBucket, rules: PrivacyRules) -> None:
        self._source = source
        self._bucket = bucket
        self._rules = rules
        self.events = 0
        self.left_out: dict[LeftOut, int] = {}

    def __iter__(self) -> Iterator[Event]:
        for found in self._source.events(self._bucket):
            event = found if isinstance(found, LeftOut) else self._kept(found)
            if isinstance(event, LeftOut):
                self.left_out[event] = self.left_out.get(event, 0) + 1
            else:
                self.events += 1
                yield event

    def _kept(self, event: Event) -> Event | LeftOut:
        data = self._rules.applied(self._bucket.id, event.data)
        if data is None:
            return LeftOut.DROPPED
        return event if data is event.data else msgspec.structs.replace(event, data=data)


def _document(bucket: SourceBucket, events: list[Event]) -> bytes:
    """An export document of one bucket."""
    head = {name: getattr(bucket, name) for name in ("id", "type", "client", "hostname", "created", "data")}
    text = msgspec.json.encode(head).removesuffix(b"}")
    return b'{"buckets":{%b:%b,"events":[%b]}}}' % (
        msgspec.json.encode(bucket.id),
        text,
        b",".join(map(encode_event, events)),
    )


# Brings settings along: categories, and whatever else clients have stored.


class CopiedSettings(Struct, frozen=True, kw_only=True):
    """Keys that were set, had that value already, have another and keep it, or were refused (with the reason)."""

    copied: list[str]
    same: list[str]
    kept: list[str]
    refused: dict[str, str]


def copy_settings(source: Source, server: Calls, *, overwrite: bool) -> CopiedSettings:
    """Set what is not set here; with `overwrite` also what has another value here."""
    outcome = CopiedSettings(copied=[], same=[], kept=[], refused={})
    ours = server.call("GET", "/api/0/settings/")
    for key, value in source.settings.items():
        if key in ours and canonical_json(ours[key]) == canonical_json(value):
            outcome.same.append(key)
        elif key in ours and not overwrite:
            outcome.kept.append(key)
        else:
            try:
                # As text, because a value of null is a body too.
                server.call("POST", f"/api/0/settings/{quote(key, safe='')}", Raw(canonical_json(value)))
                outcome.copied.append(key)
            except (Invalid, Malformed) as error:
                outcome.refused[key] = error.message
    return outcome


# Everything of one source brought along: settings first, then bucket after bucket.


class Migrated(Struct, frozen=True, kw_only=True):
    """What became of one source."""

    path: str
    settings: CopiedSettings
    buckets: list[CopiedBucket]

    @property
    def is_proven(self) -> bool:
        return all(bucket.proof.is_proven for bucket in self.buckets)


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
    """Copy what is missing, and prove it. `on_bucket` is told which bucket comes next, for the others see Copier."""
    # Settings first: privacy filters may be among them, and are then in force for what follows.
    settings = copy_settings(source, server, overwrite=overwrite_settings)
    copier = Copier(source, server, ledger, on_events=on_events, on_reads=on_reads, at_once=at_once)
    buckets: list[CopiedBucket] = []
    for bucket in source.buckets():
        on_bucket(bucket.id)
        buckets.append(copier.copy(bucket))
    return Migrated(path=str(source.path), settings=settings, buckets=buckets)


# The proof that what was migrated is here as it is there, in the form that goes over the wire.


class ProvenSums(Struct, frozen=True, kw_only=True):
    """What stands for a set of events."""

    events: int
    seconds: Annotated[float, Meta(description="how long they are together")]
    checksum: Annotated[str, Meta(description="the sum of their digests, whatever their order")]


class ProvenBucket(Struct, frozen=True, kw_only=True):
    """A bucket of theirs: the events that are to be here, added up there and here."""

    bucket: str
    is_proven: Annotated[bool, Meta(description="whether both sums are equal")]
    theirs: ProvenSums
    ours: ProvenSums
    imported: Annotated[int, Meta(description="events that are new here")]
    extended: Annotated[int, Meta(description="events that were here, and have become longer there")]
    repeated: Annotated[int, Meta(description="events that are there more than once, and here once")]
    continued: Annotated[int, Meta(description="events that went on here, and are in neither sum")]
    others: Annotated[int, Meta(description="events of the bucket here that are none of theirs")]
    left_out: Annotated[dict[str, int], Meta(description="events that cannot be used, by the reason")]


class MigrationProof(Struct, frozen=True, kw_only=True):
    """Both sides of a migration, each added up by itself after everything was copied."""

    path: str
    is_proven: Annotated[bool, Meta(description="whether that is so of every bucket")]
    buckets: list[ProvenBucket]
    settings: CopiedSettings


def proof_of(migrated: Migrated) -> MigrationProof:
    """What a migration has proven."""
    return MigrationProof(
        path=migrated.path,
        is_proven=migrated.is_proven,
        buckets=[_bucket(copied) for copied in migrated.buckets],
        settings=migrated.settings,
    )


def _bucket(copied: CopiedBucket) -> ProvenBucket:
    proof = copied.proof
    return ProvenBucket(
        bucket=copied.bucket,
        is_proven=proof.is_proven,
        theirs=_sums(proof.theirs),
        ours=_sums(proof.ours),
        imported=copied.imported,
        extended=copied.extended,
        repeated=copied.repeated,
        continued=proof.continued,
        others=proof.others,
        left_out={reason.value: count for reason, count in copied.left_out.items()},
    )


def _sums(sums: Sums) -> ProvenSums:
    return ProvenSums(events=sums.events, seconds=sums.duration / SECOND, checksum=sums.checksum)
