"""`/api/0/buckets/<id>/heartbeat` for every request that the hot lane does not take."""

import asyncio
import math

from dayline.api.call import Call
from dayline.model.errors import DaylineError, Malformed
from dayline.model.event import Event, decode_heartbeat, encode_event, encode_unstored
from dayline.model.timestamps import LATEST, SECOND, Microseconds


async def send_heartbeat(call: Call) -> None:
    """A heartbeat says that something is still so.

    Where its data equal those of the bucket's last event, and it begins no more than `pulsetime` seconds after that
    event's end, the last event is extended to its end. Otherwise it becomes an event of its own. The answer is sent
    when the change is on disk. A heartbeat that a privacy rule drops is answered as it was sent, with the id `null`.
    """
    bucket_id = call.params["bucket_id"]
    pulsetime = parse_pulsetime(call.request.get_param("pulsetime"))
    sent = decode_heartbeat(await call.json_body())
    kept = call.services.privacy.kept(bucket_id, [sent])
    if not kept:
        call.services.store.bucket(bucket_id)  # whoever may record there learns no more than that it is there
        call.answer_json(encode_unstored(sent))
        return
    [beat] = kept
    stored: asyncio.Future[Event | DaylineError] = asyncio.get_running_loop().create_future()

    def done(outcome: Event | DaylineError) -> None:
        if not stored.done():  # the client may have gone meanwhile
            stored.set_result(outcome)

    call.store.heartbeat(bucket_id, beat, pulsetime=pulsetime, done=done)
    outcome = await stored
    if isinstance(outcome, DaylineError):
        raise outcome
    call.answer_json(encode_event(outcome))


def parse_pulsetime(text: str | None) -> Microseconds:
    """Seconds from the URL as microseconds; negative counts as 0. Raises Malformed where it is missing or no number."""
    if text is None:
        raise Malformed("pulsetime is missing", hint="…/heartbeat?pulsetime=<seconds>", field="pulsetime")
    try:
        seconds = float(text)
    except ValueError as error:
        raise Malformed(f"pulsetime: {text[:40]!r} is not a number of seconds", field="pulsetime") from error
    if not math.isfinite(seconds):
        raise Malformed(f"pulsetime: {text[:40]!r} is not a finite number of seconds", field="pulsetime")
    return round(min(max(seconds * SECOND, 0), LATEST))  # bounded first: the product may be infinite
