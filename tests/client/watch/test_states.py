"""What is observed becomes the heartbeats that ActivityWatch's own watchers would send, and the events they make."""

from dayline.client.watch.desktop import Window
from dayline.client.watch.states import PresenceState, WindowState
from dayline.model.data import canonical_json
from dayline.model.event import Event
from dayline.model.time import SECOND, Microseconds
from dayline.transform.heartbeat import merge_heartbeat

START = 1_000_000 * SECOND


class Bucket:
    """Merges heartbeats as a server does. `events` are start and end in seconds, and a value of the data."""

    def __init__(self, *, pulsetime_s: float) -> None:
        self._pulsetime = round(pulsetime_s * SECOND)
        self._events: list[Event] = []

    def record(self, data: dict[str, str], start: Microseconds, duration: Microseconds) -> None:
        beat = Event(start=start, duration=duration, data=canonical_json(data))
        merged = merge_heartbeat(self._events[-1], beat, pulsetime=self._pulsetime) if self._events else None
        if merged is None:
            self._events.append(beat)
        else:
            self._events[-1] = merged

    @property
    def events(self) -> list[tuple[float, float, bytes]]:
        return [((each.start - START) / SECOND, (each.end - START) / SECOND, each.data) for each in self._events]


def at(second: float) -> Microseconds:
    return START + round(second * SECOND)


def window(app: str) -> bytes:
    return canonical_json({"app": app, "title": "t"})


def presence(status: str) -> bytes:
    return canonical_json({"status": status})


def test_a_window_is_recorded_from_one_change_to_the_next() -> None:
    bucket = Bucket(pulsetime_s=2)
    state = WindowState(bucket.record)
    for second, app in (
        (0, "editor"),
        (5, "editor"),
        (7, "browser"),
        (12, "browser"),
        (12.5, "editor"),
        (17, "editor"),
    ):
        state.observe(Window(app, "t"), at(second))

    assert bucket.events == [
        (0, 7, window("editor")),
        (7, 12.5, window("browser")),
        (12.5, 17, window("editor")),
    ]


def test_without_a_window_nothing_is_recorded() -> None:
    bucket = Bucket(pulsetime_s=2)
    state = WindowState(bucket.record)
    state.observe(Window("editor", "t"), at(0))
    state.observe(None, at(3))
    state.observe(None, at(8))
    state.observe(Window("editor", "t"), at(20))

    assert bucket.events == [(0, 3, window("editor")), (20, 20, window("editor"))]


def test_time_asleep_belongs_to_no_window() -> None:
    bucket = Bucket(pulsetime_s=2)
    state = WindowState(bucket.record)
    state.observe(Window("editor", "t"), at(0))
    state.observe(Window("editor", "t"), at(5))
    state.observe(Window("editor", "t"), at(3605), was_suspended=True)
    state.observe(Window("editor", "t"), at(3610))

    assert bucket.events == [(0, 5, window("editor")), (3605, 3610, window("editor"))]


def test_a_clock_that_is_set_back_makes_no_negative_event() -> None:
    bucket = Bucket(pulsetime_s=2)
    state = WindowState(bucket.record)
    state.observe(Window("editor", "t"), at(100))
    state.observe(Window("editor", "t"), at(105))
    state.observe(Window("editor", "t"), at(50))
    state.observe(Window("editor", "t"), at(55))

    assert bucket.events == [(100, 105, window("editor")), (50, 55, window("editor"))]


def test_away_begins_with_the_last_input_and_ends_with_the_next_one() -> None:
    bucket = Bucket(pulsetime_s=185)
    state = PresenceState(bucket.record)
    inputs = [0, 4, 9, 300, 303]
    for second in range(0, 310, 5):
        last = max(each for each in inputs if each <= second)
        state.observe(round((second - last) * SECOND), at(second))

    assert bucket.events == [
        (0, 9, presence("not-afk")),
        (9.001, 300, presence("afk")),
        (300.001, 303, presence("not-afk")),
    ]


def test_an_inexact_idle_time_splits_no_event() -> None:
    bucket = Bucket(pulsetime_s=185)
    state = PresenceState(bucket.record)
    for number, second in enumerate(range(0, 400, 5)):
        error = 3 * SECOND if number % 3 == 2 else 4000 * (number % 2)  # a busy computer answers late
        state.observe(round(second * SECOND) + error, at(second))

    assert bucket.events == [(0, 0, presence("not-afk")), (0.001, 395, presence("afk"))]


def test_a_watcher_that_starts_while_the_user_is_away_continues_that() -> None:
    bucket = Bucket(pulsetime_s=185)
    for first, last in ((0, 300), (320, 400)):
        state = PresenceState(bucket.record)
        for second in range(first, last, 5):
            state.observe(round(second * SECOND), at(second))

    assert bucket.events == [(0, 0, presence("not-afk")), (0.001, 395, presence("afk"))]


def test_time_asleep_is_neither_present_nor_away() -> None:
    bucket = Bucket(pulsetime_s=185)
    state = PresenceState(bucket.record)
    state.observe(0, at(0))
    state.observe(0, at(5))
    # X11 counts the idle time without the sleep.
    state.observe(6 * SECOND, at(3600), was_suspended=True)
    state.observe(11 * SECOND, at(3605))
    state.observe(0, at(3610))

    assert bucket.events == [(0, 5, presence("not-afk")), (3600, 3610, presence("not-afk"))]


def test_input_that_seems_to_be_before_the_last_observation_makes_no_overlap() -> None:
    bucket = Bucket(pulsetime_s=185)
    state = PresenceState(bucket.record)
    for second in range(0, 205, 5):
        state.observe(second * SECOND, at(second))
    state.observe(round(5.1 * SECOND), at(205))

    assert bucket.events == [
        (0, 0, presence("not-afk")),
        (0.001, 200, presence("afk")),
        (200.001, 200.001, presence("not-afk")),
    ]


def test_without_input_after_the_return_there_is_one_event_for_each_state() -> None:
    bucket = Bucket(pulsetime_s=185)
    state = PresenceState(bucket.record)
    for second in range(0, 600, 5):
        state.observe((second if second < 203 else second - 203) * SECOND, at(second))

    assert bucket.events == [
        (0, 0, presence("not-afk")),
        (0.001, 203, presence("afk")),
        (203.001, 203.001, presence("not-afk")),
        (203.002, 595, presence("afk")),
    ]
