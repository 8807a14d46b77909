"""What watchers send: checked as the server would, so that what it refuses is refused at once, and then queued."""

from collections.abc import Callable

import msgspec

from dayline.api.heartbeats import parse_pulsetime
from dayline.client.queued_call import Creation, Heartbeat, Insertion, unstored_json
from dayline.model.bucket import NewBucket, check_bucket_id, created_bucket, decode_new_bucket
from dayline.model.errors import BucketNotFound, Forbidden
from dayline.model.event import Event, decode_events, decode_heartbeat
from dayline.model.timestamps import format_timestamp, now_us
from dayline.relay.intake import Intake
from dayline.relay.link import Link


class Recording:
    """Takes calls for buckets. `on_created` is told of each new bucket.

    `hostname` and `device_id` are those of this computer, which `!local` stands for.
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
        """Raises BucketExists where it was created through this relay before, as the server does."""
        bucket = created_bucket(
            bucket_id,
            decode_new_bucket(body),
            now=now_us(),
            hostname=self._hostname,
            device_id=self._device_id,
        )
        # Made here and now, also where the server hears of it a week later.
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
        """The event as it waits in the queue: the server may make it part of a longer one."""
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
                    "events with an id replace others, and are not kept by a relay",
                    hint="leave out the id, or send it to the server itself",
                    field="id",
                )
        self._check_bucket(bucket_id)
        sent = unstored_json(events) if isinstance(events, Event) else b"[%b]" % b",".join(map(unstored_json, events))
        await self._intake.put(Insertion(bucket_id=bucket_id, body=sent))
        return sent

    def _check_bucket(self, bucket_id: str) -> None:
        """Watchers create their bucket again when they hear that there is none."""
        check_bucket_id(bucket_id)
        if self._link.is_missing(bucket_id):
            raise BucketNotFound(bucket_id)
