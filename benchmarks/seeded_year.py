"""Writes the seeded year that the figures of other servers were measured with, as an ActivityWatch export.

A window, a web and an afk bucket, about 3,200 events a day; 365 days give 1,169,105 events with 310,747 distinct data
values in some 200 MB. A quarter of the titles is not ASCII. `dayline demo` is richer; this one stays as it is, so that
figures can be compared with those of other servers and other times.
"""

import json
import random
import shutil
import tempfile
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, Final, NamedTuple

DAYS_IN_YEAR: Final = 365
FIRST_DAY: Final = datetime(2025, 1, 1, tzinfo=UTC)
WINDOW_BUCKET: Final = "aw-watcher-window_host"

APPS: Final = (
    "Firefox", "Code", "Terminal", "Slack", "Zoom", "Thunderbird", "Figma", "Spotify", "Obsidian", "Steam",
    "Gimp", "LibreOffice", "Telegram", "Discord", "Files", "Postman",
)  # fmt: skip
SITES: Final = (
    "github.com", "docs.python.org", "news.ycombinator.com", "youtube.com", "mail.google.com", "en.wikipedia.org",
    "stackoverflow.com", "reddit.com", "calendar.google.com", "rust-lang.org",
)  # fmt: skip
BUCKETS: Final = {
    WINDOW_BUCKET: "currentwindow",
    "aw-watcher-web-firefox_host": "web.tab.current",
    "aw-watcher-afk_host": "afkstatus",
}


class SeededEvent(NamedTuple):
    """An event before it is written."""

    start: datetime
    duration_s: float
    data: dict[str, object]


class Generator:
    """Throws the dice, day after day, always in the same order."""

    def __init__(self) -> None:
        self._rng = rng = random.Random(7)
        words = [f"word{number}" for number in range(4000)]
        titles = [" ".join(rng.choices(words, k=rng.randint(2, 7))) for _ in range(60_000)]
        self._titles = [
            title.replace("word", "слово") if number % 4 == 0 else title for number, title in enumerate(titles)
        ]
        self._urls = [
            f"https://{rng.choice(SITES)}/{'/'.join(rng.choices(words, k=3))}?q={number}" for number in range(40_000)
        ]

    def day(self, start: datetime) -> tuple[list[SeededEvent], list[SeededEvent], list[SeededEvent]]:
        """Window, web and afk events of one day, in the order of `BUCKETS`."""
        rng = self._rng
        window: list[SeededEvent] = []
        web: list[SeededEvent] = []
        afk: list[SeededEvent] = []
        clock = start + timedelta(hours=8, minutes=rng.randint(0, 90))
        end = clock + timedelta(hours=9 + rng.random() * 3)
        while clock < end:
            active_s = rng.expovariate(1 / 1500)
            stop = clock + timedelta(seconds=active_s)
            afk.append(SeededEvent(clock, active_s, {"status": "not-afk"}))
            while clock < stop:
                duration_s = min(rng.expovariate(1 / 13), (stop - clock).total_seconds())
                app = APPS[min(int(rng.expovariate(0.45)), len(APPS) - 1)]
                title = self._titles[int(rng.paretovariate(0.25)) % len(self._titles)]
                window.append(SeededEvent(clock, duration_s, {"app": app, "title": f"{title} - {app}"}))
                if app == "Firefox":
                    web.append(SeededEvent(clock, duration_s, self._tab(title)))
                clock += timedelta(seconds=duration_s + rng.choice([0, 0, 0.3, 1.1]))
            gap_s = rng.expovariate(1 / 400)
            afk.append(SeededEvent(stop, gap_s, {"status": "afk"}))
            clock = stop + timedelta(seconds=gap_s)
        return window, web, afk

    def _tab(self, title: str) -> dict[str, object]:
        url = self._urls[int(self._rng.paretovariate(0.25)) % len(self._urls)]
        tab_count = self._rng.randint(1, 30)
        return {"url": url, "title": title, "audible": False, "incognito": False, "tabCount": tab_count}


def seeded_export(cache: Path, *, days: int = DAYS_IN_YEAR) -> Path:
    """The export of that many days from `FIRST_DAY` on; written on the first call, taken from the cache later."""
    path = cache / f"seeded-{days}-days.json"
    if not path.exists():
        cache.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".unfinished")
        with unfinished.open("w") as file:
            _write(file, days)
        unfinished.replace(path)
    return path


def _write(file: IO[str], days: int) -> None:
    """One pass over the days, a spool file per bucket, and then the document: a day is all that is held in memory.

    No day is without an event in each bucket, so a comma between days is right.
    """
    generator = Generator()
    with ExitStack() as stack:
        spools = [stack.enter_context(tempfile.TemporaryFile("w+")) for _ in BUCKETS]
        for number in range(days):
            for spool, events in zip(spools, generator.day(FIRST_DAY + timedelta(days=number)), strict=True):
                if number:
                    spool.write(", ")
                spool.write(", ".join(map(_event_json, events)))
        file.write('{"buckets": {')
        for number, ((bucket_id, bucket_type), spool) in enumerate(zip(BUCKETS.items(), spools, strict=True)):
            head = json.dumps(_bucket(bucket_id, bucket_type)).removesuffix("}")
            file.write(f'{", " if number else ""}"{bucket_id}": {head}, "events": [')
            spool.seek(0)
            shutil.copyfileobj(spool, file)
            file.write("]}")
        file.write("}}")


def _bucket(bucket_id: str, bucket_type: str) -> dict[str, object]:
    client, _, hostname = bucket_id.partition("_")
    return {
        "id": bucket_id,
        "type": bucket_type,
        "client": client,
        "hostname": hostname,
        "created": FIRST_DAY.isoformat(),
        "data": {},
    }


def _event_json(event: SeededEvent) -> str:
    timestamp = event.start.isoformat(timespec="milliseconds")
    return json.dumps({"timestamp": timestamp, "duration": round(event.duration_s, 3), "data": event.data})
