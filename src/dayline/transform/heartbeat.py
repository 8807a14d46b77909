"""Merges a heartbeat with the event before it."""

from dayline.model.data import same_data
from dayline.model.event import Event
from dayline.model.time import Microseconds


def merge_heartbeat(last: Event, beat: Event, *, pulsetime: Microseconds) -> Event | None:
    """Extend `last` to cover `beat`, or return None if they must stay separate.

        pulsetime 1    [a] [a]  [a][b]
        becomes        [a    ]  [a][b]

    Both edges of the window count: a beat at the start of `last` merges, and so does one exactly `pulsetime` after its
    end. The result keeps the id of `last`, so storing it replaces that row.
    """
    if not last.start <= beat.start <= last.start + last.duration + pulsetime:
        return None
    # After the times, because it is slower if the texts differ.
    if not same_data(last.data, beat.data):
        return None

    # A late, shorter beat is inside `last`: the end never moves backwards.
    duration = max(last.duration, beat.start + beat.duration - last.start)
    if duration < 0:
        return None
    return Event(id=last.id, start=last.start, duration=duration, data=last.data)
