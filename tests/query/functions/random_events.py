"""Longer lists of events than Hypothesis draws in a moment, from the number that it draws instead."""

import random

from tests.query.reference.events import Event
from tests.support.query.tables import SECOND

_APPS = ["a", "b", "c"]


def random_events(seed: int, *, count: int, is_ascending: bool) -> list[Event]:
    """Events that follow each other, mostly: with gaps around five seconds, and overlaps, some long, some tiny."""
    dice = random.Random(seed)
    events: list[Event] = []
    clock = dice.randint(1, 20) * SECOND
    for number in range(count):
        duration = dice.choice([0, 0, 1, SECOND, 3 * SECOND, 7 * SECOND, dice.randint(0, 30) * SECOND])
        events.append(Event(clock, duration, {"app": dice.choice(_APPS)}, number + 1))
        gap = dice.choice([0, 0, 1, -1, -1000, SECOND, 5 * SECOND, 5 * SECOND - 1, 5 * SECOND + 1, -4 * SECOND])
        clock = max(clock + dice.choice([0, 0, 1]), clock + duration + gap)
        if dice.random() < 0.05:
            clock = max(1, clock - 10 * SECOND)
    if is_ascending:
        events.sort(key=lambda event: event.start)
    return events
