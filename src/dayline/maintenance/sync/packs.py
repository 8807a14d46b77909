"""Packs: the events of one bucket that start in one span, as an encrypted archive."""

from collections.abc import Iterable
from os import fstat
from typing import IO, Final

import msgspec

from dayline.maintenance.sync.digests.spans import Digest, SpanDigest, batches, digest_of
from dayline.maintenance.sync.keys import SpaceKey
from dayline.maintenance.sync.spaces.views import MAX_FILE_BYTES
from dayline.model.bucket import Bucket
from dayline.model.data import canonical_data
from dayline.model.errors import DaylineError
from dayline.model.event import Event, encode_event
from dayline.model.time import LATEST, SECOND, Microseconds, format_timestamp, parse_timestamp
from dayline.model.upkeep.mirror import SLOT_IDS
from dayline.storage.sqlite.backup.encryption import DamagedSnapshot, Decrypting, Encrypting, KeyBytes
from dayline.storage.transfer.archive import FORMAT, VERSION, BucketLine, EventLine, Header
from dayline.storage.transfer.archive_stream import ArchiveReader, ArchiveWriter
from dayline.storage.transfer.expansion import Expansion

TOO_LARGE: Final = f"it is larger than {MAX_FILE_BYTES >> 20} MiB"


class PackDamaged(Exception):
    """A pack that is truncated, modified, too large, or not the one that its head lists; the message says why."""


def write_pack(
    file: IO[bytes], key: SpaceKey, bucket: Bucket, events: Iterable[Event], *, made: Microseconds, next_event_id: int
) -> SpanDigest:
    """Write a pack to an open file and return its digest. The events are ordered by start and id."""
    encrypting = Encrypting(file, KeyBytes(key.for_packs), made=made, source=f"sync-{key.generation}")
    header = Header(
        format=FORMAT,
        version=VERSION,
        made=format_timestamp(made),
        schema=0,
        server="",
        events=0,
        next_event_id=next_event_id,
    )
    archive, digest = ArchiveWriter(encrypting, header), Digest()
    line = BucketLine(
        id=bucket.id,
        type=bucket.type,
        client=bucket.client,
        hostname=bucket.hostname,
        created=format_timestamp(bucket.created),
        creator=None,
        data=msgspec.Raw(msgspec.json.encode(bucket.data)),
    )
    archive.add("bucket", line)
    begin = b'{"kind":"event","bucket":%b,' % msgspec.json.encode(bucket.id)
    for some in batches(events):
        digest.add(some)
        lines = b"".join(begin + encode_event(event)[1:] + b"\n" for event in some)
        archive.add_encoded("event", lines, count=len(some))
    archive.finish()
    encrypting.finish()
    return digest.result()


def read_pack(file: IO[bytes], key: SpaceKey, *, digest: str) -> list[Event]:
    """The events of a pack, which are exactly those of the digest. Raises PackDamaged."""
    size = fstat(file.fileno()).st_size
    if size > MAX_FILE_BYTES:
        raise PackDamaged(TOO_LARGE)
    try:
        archive = ArchiveReader(Decrypting(file, KeyBytes(key.for_packs)), Expansion(size))
        events = [_event(line) for line in archive.content() if isinstance(line, EventLine)]
    except (DaylineError, DamagedSnapshot, ValueError, ArithmeticError) as error:
        raise PackDamaged(str(error)) from error
    if digest_of(events).digest != digest:
        raise PackDamaged("it has other events than its head lists")
    return events


def _event(line: EventLine) -> Event:
    start, duration = parse_timestamp(line.timestamp), round(line.duration * SECOND)
    if not 1 <= line.id < SLOT_IDS or not 0 <= start <= LATEST or not 0 <= start + duration <= LATEST:
        raise ValueError(f"event {line.id} is out of range")
    return Event(id=line.id, start=start, duration=duration, data=canonical_data(line.data))
