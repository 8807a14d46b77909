"""Worlds of a few events, drawn by hypothesis: as a source for the code, and as the slow reference."""

from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

from dayline.insight.request import CommonRequest, Scope
from dayline.model.category import Category, ClassicRule
from dayline.model.edits.annotation import Annotation, AnnotationKind
from tests.insight.reference.active_time import Machine, Recorded, World
from tests.support.query.tables import MemorySource, StoredEvent

SECOND = 1_000_000
HOUR = 3600 * SECOND

LAPTOP = Machine(
    name="laptop",
    fronts=("aw-watcher-window_laptop",),
    tabs=("aw-watcher-web-firefox_laptop", "aw-watcher-web-chrome"),
    files=("aw-watcher-vim_laptop",),
    away=("aw-watcher-afk_laptop",),
)
PHONE = Machine(name="phone", fronts=("aw-watcher-android-test",), tabs=("aw-watcher-web-chrome",), is_phone=True)
TABLET = Machine(name="tablet", fronts=("aw-watcher-web-firefox_tablet",))
MACHINES = (LAPTOP, PHONE, TABLET)
HOSTS = {
    "aw-watcher-window_laptop": "laptop", "aw-watcher-web-firefox_laptop": "laptop", "aw-watcher-vim_laptop": "laptop",
    "aw-watcher-afk_laptop": "laptop", "aw-watcher-web-chrome": "unknown", "aw-watcher-android-test": "phone",
    "aw-watcher-web-firefox_tablet": "tablet",
}  # fmt: skip
TYPES = {
    "aw-watcher-window_laptop": "currentwindow", "aw-watcher-web-firefox_laptop": "web.tab.current",
    "aw-watcher-vim_laptop": "app.editor.activity", "aw-watcher-afk_laptop": "afkstatus",
    "aw-watcher-web-chrome": "web.tab.current", "aw-watcher-android-test": "currentwindow",
    "aw-watcher-web-firefox_tablet": "web.tab.current",
}  # fmt: skip
CATEGORIES = (
    Category(id=1, name=("Work",), rule=ClassicRule(regex="Code|Zoom")),
    Category(id=2, name=("Work", "Meetings"), rule=ClassicRule(regex="Zoom"), is_always_active=True),
    Category(id=3, name=("Web",), rule=ClassicRule(regex="Firefox|docs")),
    Category(id=4, name=("Play",), rule=ClassicRule(regex="game")),
)

# Shortly before the clocks of these zones are set.
CHANGES = {
    "UTC": datetime(2026, 1, 31, 12, tzinfo=UTC),
    "Europe/Berlin": datetime(2026, 3, 28, 20, tzinfo=UTC),
    "America/New_York": datetime(2026, 10, 31, 20, tzinfo=UTC),
    "Asia/Kathmandu": datetime(2026, 4, 30, 12, tzinfo=UTC),
    "Australia/Lord_Howe": datetime(2026, 4, 4, 8, tzinfo=UTC),
}

_windows = st.fixed_dictionaries(
    {"app": st.sampled_from(["Code", "Firefox", "Chrome", "Zoom"]), "title": st.sampled_from(["a", "game", "b docs"])}
)
_tabs = st.fixed_dictionaries(
    {
        "url": st.sampled_from(["https://docs.example.org/a", "https://docs.example.org/b", "https://news.example/"]),
        "title": st.sampled_from(["Docs", "News"]),
        "audible": st.booleans(),
    }
)
_files = st.fixed_dictionaries({"file": st.sampled_from(["a.py", "b.py"]), "project": st.sampled_from(["one", "two"])})
_statuses = st.fixed_dictionaries({"status": st.sampled_from(["afk", "not-afk"])})
EVENT_DATA: dict[str, st.SearchStrategy[Any]] = {
    "currentwindow": _windows,
    "web.tab.current": _tabs,
    "app.editor.activity": _files,
    "afkstatus": _statuses,
}

_GAPS = [0, 0, 0, SECOND, 2 * SECOND + 1, 5 * SECOND - 1, 5 * SECOND, 90 * SECOND, 130 * SECOND, 3 * HOUR]
_OVERLAPS = [-SECOND, -40 * SECOND, -HOUR]
_LENGTHS = [0, 0, SECOND, 3 * SECOND, 60 * SECOND, 600 * SECOND, HOUR, 5 * HOUR]


@st.composite
def chains(draw: st.DrawFn, data: st.SearchStrategy[Any], *, overlaps: bool) -> list[StoredEvent]:
    """Events of one bucket, one after the other with small and large gaps between them, some of them overlapping."""
    gaps: list[int] = [*_GAPS, *(_OVERLAPS if overlaps else [])]
    clock = draw(st.integers(-3 * 3600, 8 * 3600)) * SECOND
    events: list[StoredEvent] = []
    for number in range(draw(st.integers(0, 9))):
        length = draw(st.sampled_from(_LENGTHS))
        events.append((clock, length, draw(data), number + 1))
        clock += length + draw(st.sampled_from(gaps))
    return events


@st.composite
def annotations(draw: st.DrawFn, *, hours: int = 20) -> tuple[Annotation, ...]:
    """A few annotations of every kind that start within this many hours."""
    kinds: list[AnnotationKind] = draw(st.lists(st.sampled_from(["label", "category", "exclude", "entry"]), max_size=4))
    return tuple(
        Annotation(
            id=number,
            kind=kind,
            start=(start := draw(st.integers(0, hours * 3600)) * SECOND),
            end=start + draw(st.sampled_from([600 * SECOND, HOUR, 6 * HOUR])),
            device=draw(st.sampled_from([None, "laptop", "phone"])),
            label=draw(st.sampled_from(["", "Standup"])),
            category=draw(st.sampled_from([None, ("Work",), ("Trips", "Car")])),
        )
        for number, kind in enumerate(kinds, start=1)
    )


class Drawn:
    """The same events for both sides, around the time at which the clocks of a zone are set."""

    def __init__(self, zone: str, buckets: dict[str, list[StoredEvent]], scope: Scope) -> None:
        base = round(CHANGES[zone].timestamp()) * SECOND
        self.zone = zone
        self.base = base
        self.buckets = buckets
        self._given = scope
        moved = {
            bucket: [(base + start, length, data, number) for start, length, data, number in events]
            for bucket, events in buckets.items()
        }
        self.source = MemorySource(moved, HOSTS, TYPES)
        said = tuple(
            Annotation(
                id=each.id, kind=each.kind, start=base + each.start, end=base + each.end, device=each.device,
                label=each.label, category=each.category,
            )
            for each in scope.annotations
        )  # fmt: skip
        self.scope = Scope(
            now=base + 100 * HOUR, zone=zone, day_start=scope.day_start, categories=scope.categories, annotations=said,
            always_active=scope.always_active,
        )  # fmt: skip
        events = [
            Recorded(bucket, start, start + length, number, data)
            for bucket, listed in moved.items()
            for start, length, data, number in listed
        ]
        self.world = World(MACHINES, events, self.scope)

    def without(self, *left_out: str) -> "Drawn":
        """The same without some buckets."""
        kept = {bucket: events for bucket, events in self.buckets.items() if bucket not in left_out}
        return Drawn(self.zone, {**kept, **{bucket: [] for bucket in left_out}}, self._given)

    def common(self, start: int, end: int, **more: Any) -> CommonRequest:
        """The request for a range in hours from the base."""
        return CommonRequest(scope=self.scope, start=self.base + start * HOUR, end=self.base + end * HOUR, **more)


@st.composite
def worlds(draw: st.DrawFn, *, overlaps: bool = True, annotated: bool = True) -> Drawn:
    """A zone with its settings, and events of three devices."""
    zone = draw(st.sampled_from(list(CHANGES)))
    buckets = {bucket: draw(chains(EVENT_DATA[kind], overlaps=overlaps)) for bucket, kind in TYPES.items()}
    scope = Scope(
        now=0,
        day_start=draw(st.sampled_from(["00:00", "02:30", "04:00"])),
        categories=draw(st.sampled_from([(), CATEGORIES])),
        annotations=draw(annotations()) if annotated else (),
        always_active=draw(st.sampled_from(["", "game"])),
    )
    return Drawn(zone, buckets, scope)
