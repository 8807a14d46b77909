"""Recording calls: validated as by the server, so that invalid ones fail at once, and then queued."""

from collections.abc import Callable

import msgspec

from dayline.api.v0.events import parse_pulsetime
from dayline.cli.relay.intake import Intake
from dayline.client.link import Link
from dayline.client.queued_call import Creation, Heartbeat, Insertion, unstored_json
from dayline.model.bucket import NewBucket, check_bucket_id, created_bucket
from dayline.model.data import decode_body
from dayline.model.errors import BucketNotFound, Forbidden
from dayline.model.event import Event, decode_events, decode_heartbeat
from dayline.model.time import format_timestamp, now_us


class Recording:
    """Accepts recording calls. Calls `on_created` for each new bucket.

    `hostname` and `device_id` are those of this computer, for buckets with the host `!local`.
    """

    def __init__(
        self, intake: Intake, link: Link, *, on_created: Callable[[str], None], hostname: str, device_id: str
    ) -> None:
        self._intake = intake
        self._link = link
        self._on_created = on_created
        self._hostname = hostname
        self._device_id = device_id

    async def create(self, bucket_id: str, body: bytes) -> bytes:
        """Create a bucket. Raises BucketExists if it was created through this relay before, like the server."""
        bucket = created_bucket(
            bucket_id,
            decode_body(body, NewBucket),
            now=now_us(),
            hostname=self._hostname,
            device_id=self._device_id,
        )
        # Created now, even if the server receives it a week later.
        new = NewBucket(
            type=bucket.type,
            client=bucket.client,
            hostname=bucket.hostname,
            created=format_timestamp(bucket.created),
            data=bucket.data,
        )
        await self._intake.put(Creation(bucket_id=bucket_id, body=msgspec.json.encode(new)))
        self._on_created(bucket_id)
        return b"{}"

    async def heartbeat(self, bucket_id: str, body: bytes, *, pulsetime: str | None) -> bytes:
        """The event as it waits in the queue; the server may merge it into a longer one."""
        duration = parse_pulsetime(pulsetime)
        beat = decode_heartbeat(body)
        self._check_bucket(bucket_id)
        waiting = await self._intake.put(Heartbeat(bucket_id=bucket_id, event=beat, pulsetime=duration))
        return unstored_json(waiting or beat)

    async def insert(self, bucket_id: str, body: bytes) -> bytes:
        """The events as they were sent, without ids."""
        events = decode_events(body)
        for event in [events] if isinstance(events, Event) else events:
            if event.id:
                raise Forbidden(
                    "a relay cannot store events with an id, which replace existing events",
                    hint="leave out the id, or send the event to the server directly",
                    field="id",
                )
        self._check_bucket(bucket_id)
        sent = unstored_json(events) if isinstance(events, Event) else b"[%b]" % b",".join(map(unstored_json, events))
        await self._intake.put(Insertion(bucket_id=bucket_id, body=sent))
        return sent

    def _check_bucket(self, bucket_id: str) -> None:
        """Raise BucketNotFound if the server has no such bucket, so that watchers create it again."""
        check_bucket_id(bucket_id)
        if self._link.is_missing(bucket_id):
            raise BucketNotFound(bucket_id)
