"""Responses of a server as samples for screens: the JSON that it sends, so that the way from there is tested too."""

from datetime import datetime, timedelta, timezone
from typing import Any

BERLIN = timezone(timedelta(hours=1))
DAY = datetime(2026, 3, 5, 4, tzinfo=BERLIN)

CATEGORIES = [["Work", "Code"], ["Work", "Docs"], ["Comms"], ["Media", "Video"], ["Uncategorized"]]
HOURS = {9: 0, 10: 0, 11: 1, 12: 2, 14: 0, 15: 0, 16: 2, 17: 3}  # of the day: which category it was spent on


def range_of(start: datetime, days: int, label: str) -> dict[str, Any]:
    return {
        "start": start.isoformat(),
        "end": (start + timedelta(days=days)).isoformat(),
        "tz": "Europe/Berlin",
        "day_start": "04:00",
        "week_start": "monday",
        "label": label,
    }


def item(key: Any, minutes: float, prev: float | None = None, category: list[str] | None = None) -> dict[str, Any]:
    found = {"key": key, "seconds": minutes * 60, "share": round(minutes / 372, 4)}
    if prev is not None:
        found["prev"] = prev * 60
    if category is not None:
        found["category"] = category
    return found


def totals(minutes: float, **given: Any) -> dict[str, Any]:
    """The totals of a range of which this many minutes were active."""
    none = {"away": 0.0, "nodata": 0.0, "first": None, "last": None, "longest_focus": 0.0, "focus": None}
    return {"active": minutes * 60.0, **none, "switches": 0, "overlap": 0.0, **given}


def compared(within: dict[str, Any], minutes: float) -> dict[str, Any]:
    """What a range is compared with, of which this many minutes were active."""
    return {"range": within, "totals": totals(minutes), "lists": {}}


def day_summary(**changes: Any) -> dict[str, Any]:
    code, docs, comms, video, nowhere = CATEGORIES
    return {
        "range": range_of(DAY, 1, "Thu 5 Mar 2026"),
        "totals": totals(
            372,
            away=63 * 60.0,
            first="2026-03-05T08:55:12+01:00",
            last="2026-03-05T17:42:03+01:00",
            longest_focus=80 * 60.0,
            switches=143,
            overlap=11 * 60.0,
        ),
        "lists": {
            "category": [
                item(code, 190, 150), item(docs, 71, 80.5), item(comms, 62, 62.2), item(nowhere, 31, 40),
                item(video, 18, 0),
            ],
            "app": [
                item("Code", 182, category=code), item("Firefox", 104, category=docs), item("Slack", 41),
                item("Terminal with a name that is rather long", 28, category=code), item("mpv", 17, category=video),
            ],
            "domain": [
                item("docs.python.org", 48, category=docs), item("github.com", 33, category=code),
                item("news.example.org", 12, category=nowhere), item("例え.jp", 0.6, category=nowhere),
            ],
            "title": [
                item("main.py — dayline — Visual Studio Code", 80, category=code),
                item("The Rust Reference — lifetimes: what they are, what they are for, and how to read them when they "
                     "are not written", 22, category=docs),
                item("Ünïcödé 日本語のタイトル — Firefox", 9.3, category=nowhere),
                item("evil \x1b[31mred\x1b[0m\ttitle\u202e", 0.3, category=nowhere),
            ],
        },
        "more": {"app": 7, "title": 412},
        "devices": [{"device": "laptop", "seconds": 340 * 60.0}, {"device": "phone", "seconds": 43 * 60.0}],
        "without": {},
        "compare": compared(range_of(DAY, 1, "usual Thursday"), 348),
        "revision": 7,
        **changes,
    }  # fmt: skip


def day_series(**changes: Any) -> dict[str, Any]:
    """Bins of five minutes, the hours of which belong to one category each."""
    edges = [DAY + timedelta(minutes=5 * number) for number in range(289)]
    values = [[0.0] * 288 for _ in CATEGORIES[:4]]
    for number, edge in enumerate(edges[:-1]):
        if edge.hour in HOURS and edge.day == DAY.day:
            values[HOURS[edge.hour]][number] = 300.0 * (1 - abs(edge.minute - 30) / 45)
    return {
        "range": range_of(DAY, 1, "Thu 5 Mar 2026"),
        "bin": "5m",
        "by": "category",
        "edges": [edge.isoformat() for edge in edges],
        "keys": CATEGORIES[:4],
        "values": values,
        "other": [0.0] * 288,
        "total": [sum(column) for column in zip(*values, strict=True)],
        **changes,
    }


WEEK = datetime(2026, 3, 2, 4, tzinfo=BERLIN)


def week_summary(by: str = "app", **changes: Any) -> dict[str, Any]:
    code, docs, comms, video, _ = CATEGORIES
    lists = {
        "app": [
            item("Code", 1082, 952, code), item("Firefox", 404, 431, docs), item("Slack", 202, 202, comms),
            item("mpv", 88, 0, video), item("日本語入力", 3.5, 1, code),
        ],
        "category": [item(code, 1100, 1002), item(docs, 380.2, 417), item(comms, 202, 202), item(video, 88, 0)],
        "device": [item("laptop", 1500, 1400), item("desktop", 300, 310), item("phone", 160, 12)],
        "project": [],
    }  # fmt: skip
    for each in lists[by]:
        each["share"] = round(each["seconds"] / (1880 * 60), 4)
    return {
        "range": range_of(WEEK, 7, "2 to 8 Mar 2026"),
        "totals": totals(1880, overlap=80 * 60.0),
        "lists": {by: lists[by]},
        "more": {"app": 12},
        "devices": [],
        "without": {},
        "compare": compared(range_of(WEEK, 7, "23 Feb to 1 Mar 2026"), 1750),
        **changes,
    }


def week_series(by: str = "app") -> dict[str, Any]:
    """A bin for each day; the first key on weekdays, the second ever more, the others once."""
    keys = [each["key"] for each in week_summary(by)["lists"][by]]
    edges = [WEEK + timedelta(days=number) for number in range(8)]
    values = [
        [3600.0 * (6 - abs(day - 2)) if day < 5 else 0.0 for day in range(7)] if number == 0
        else [600.0 * day * number for day in range(7)]
        for number in range(len(keys))
    ]  # fmt: skip
    return {
        "range": range_of(WEEK, 7, "2 to 8 Mar 2026"),
        "bin": "day",
        "by": by,
        "edges": [edge.isoformat() for edge in edges],
        "keys": keys,
        "values": values,
        "other": [0.0] * 7,
        "total": [sum(column) for column in zip(*values, strict=True)],
    }


EVENTS: list[dict[str, Any]] = [
    {"id": 1, "timestamp": "2026-03-04T22:58:03Z", "duration": 3725.5, "data": {"app": "mpv", "title": "A film"}},
    {"id": 2, "timestamp": "2026-03-05T08:00:00.250Z", "duration": 31, "data": {"app": "Code", "title": "main.py"}},
    {
        "id": 3,
        "timestamp": "2026-03-05T08:00:31Z",
        "duration": 0,
        "data": {"app": "Firefox", "title": "A title that is too long for a narrow terminal, but is not cut in a pipe",
                 "url": "https://docs.example.org/a/long/path?with=parameters", "audible": False},
    },
]  # fmt: skip


def buckets_answer(*, silent: bool = True) -> dict[str, Any]:
    """Buckets of a laptop, of whose watchers one may be silent, and of a phone that is quiet."""

    def bucket(bucket_id: str, device: str, kind: str, events: int, last: str | None, **more: Any) -> dict[str, Any]:
        spark = [] if last is None else [(day * day * 7 + events) % 40 if day % 7 < 5 else 0 for day in range(30)]
        usual: dict[str, Any] = {
            "bytes": None,
            "aliases": [],
            "health": "recording",
            "silent_since": None,
            "usual_interval": 10.0,
        }
        found = {"id": bucket_id, "device": device, "type": kind, "client": "test", "events": events, "last": last}
        created = {"created": "2026-01-01T00:00:00Z", "is_demo": False, "first": None}
        return {**found, **usual, **created, "spark": spark, **more}

    is_silent = {"health": "silent", "silent_since": "2026-03-03T17:02:00Z"} if silent else {}
    return {
        "this_device": "laptop",
        "events": 612_345,
        "bytes": 73_400_320,
        "devices": [],
        "buckets": [
            bucket("aw-watcher-window_laptop", "laptop", "currentwindow", 412_003, "2026-03-05T16:42:09Z"),
            bucket("aw-watcher-afk_laptop", "laptop", "afkstatus", 12_222, "2026-03-05T16:42:06Z"),
            bucket("aw-watcher-android_phone", "phone", "currentwindow", 0, None, health="quiet"),
            bucket(
                "aw-watcher-web-firefox", "laptop", "web.tab.current", 188_120, "2026-03-03T17:02:00Z",
                aliases=["aw-watcher-web-firefox_old-laptop"], **is_silent,
            ),
        ],
    }  # fmt: skip


def now_answer() -> dict[str, Any]:
    laptop = {
        "device": "laptop", "app": "Code", "title": "main.py \u2014 dayline", "url": None, "category": ["Work", "Code"],
        "since": "2026-03-05T16:30:00Z", "away": False, "away_since": None, "last_seen": "2026-03-05T16:42:09Z",
        "is_recording": True, "health": "recording", "truncated": [],
    }  # fmt: skip
    phone = {
        **laptop, "device": "phone", "app": None, "title": None, "since": None, "last_seen": None,
        "is_recording": False, "health": "quiet",
    }  # fmt: skip
    return {"now": "2026-03-05T16:42:10Z", "is_settled": True, "devices": [laptop, phone]}


def stopped_answers() -> tuple[dict[str, Any], dict[str, Any]]:
    """Buckets and devices of which nothing comes any more: a laptop that should record, a phone of long ago."""
    buckets, now = buckets_answer(silent=False), now_answer()
    last = {"laptop": "2026-03-02T17:02:00Z", "phone": "2024-05-01T21:30:00Z"}
    for bucket in buckets["buckets"]:
        is_silent = bucket["device"] == "laptop" and bucket["type"] != "web.tab.current"
        bucket |= {"last": last[bucket["device"]], "health": "silent" if is_silent else "quiet"}
        bucket["silent_since"] = bucket["last"] if is_silent else None
    for device in now["devices"]:
        health = "silent" if device["device"] == "laptop" else "quiet"
        device |= {"last_seen": last[device["device"]], "is_recording": False, "health": health}
    return buckets, now


def search_answer(**changes: Any) -> dict[str, Any]:
    def hit(title: str, minutes: float, count: int, last: str, ranges: list[tuple[int, int]], **data: Any) -> Any:
        return {
            "key": title, "data": {"title": title, **data}, "highlights": [{"path": ["title"], "ranges": ranges}],
            "seconds": minutes * 60, "count": count, "first": "2025-06-01T10:00:00+02:00", "last": last,
            "category": [], "bucket": "aw-watcher-web-firefox", "device": "laptop", "type": "web.tab.current",
            "event": {"id": 7, "timestamp": last, "duration": 9.0}, "truncated": [],
        }  # fmt: skip

    edges = [datetime(2025, 6, 2, 4, tzinfo=BERLIN) + timedelta(weeks=number) for number in range(41)]
    return {
        "range": range_of(DAY, 1, "Thu 5 Mar 2026"),
        "understood": "rust lifetimes",
        "total": 214,
        "events": 1204,
        "seconds": 44_400.0,
        "hits": [
            hit("The Rust Reference \u2014 lifetimes", 80, 12, "2026-03-05T10:12:00+01:00", [(4, 8), (21, 30)],
                url="https://doc.rust-lang.org/reference/lifetimes.html"),
            hit("rust book \u2013 chapter 10, with a title that is much too long for a line reads it any more", 22, 3,
                "2025-11-30T09:00:00+01:00", [(0, 4)], app="Firefox"),
            hit("Rust\x07 in a terminal", 0.5, 1, "2025-06-02T09:00:00+02:00", [(0, 4)], app="Terminal"),
        ],
        "cursor": "x",
        "facets": {"device": [], "type": [], "bucket": []},
        "histogram": {
            "bin": "week", "edges": [edge.isoformat() for edge in edges],
            "seconds": [number * number % 17 * 100.0 for number in range(40)], "count": [1] * 40,
        },
        "suggestion": None,
        "looked_through": 0,
        "took": 38.4,
        **changes,
    }  # fmt: skip


def sheet_answer(*, has_amounts: bool = True, **changes: Any) -> dict[str, Any]:
    """Three days, the last without a break, with columns for more than a narrow terminal has space for."""
    names = ["Work/Code", "Work/Documentation", "Comms", "Media/Video", "Uncategorized", "A name of many characters"]
    hours = [[5.25, 1.5, 0.25, 0, 0.5, 0], [6, 0.75, 1, 0.25, 0, 0], [4.5, 0, 0, 0, 0, 0.75]]

    def cost(amount: float) -> dict[str, float]:
        return {"amount": amount * 80} if has_amounts else {}

    days = [
        {
            "date": f"2026-02-0{number}", "first": f"2026-02-0{number}T08:5{number}:00+01:00",
            "last": f"2026-02-0{number}T17:10:00+01:00",
            "breaks": {"count": 3 if number < 4 else 0, "seconds": 3900.0 if number < 4 else 0.0},
            "entries": [
                {"column": column, "seconds": time * 3590, "rounded": time * 3600, **cost(time)}
                for column, time in enumerate(times) if time
            ],
            "seconds": sum(times) * 3590, "rounded": sum(times) * 3600, **cost(sum(times)),
        }
        for number, times in enumerate(hours, start=2)
    ]  # fmt: skip
    sums = [sum(column) for column in zip(*hours, strict=True)]
    return {
        "range": range_of(datetime(2026, 2, 1, 4, tzinfo=BERLIN), 28, "February 2026"),
        "title": "ACME",
        "by": "category",
        "rules": {
            "round": "up", "to": 900.0, "per": "entry", "least": 120.0, "gaps": 0.0,
            "text": "Times are rounded up to 15 minutes, each entry by itself; entries under 2 minutes are left out.",
        },
        "currency": "EUR",
        "is_listed": True,
        "columns": [
            {"key": name.split("/"), "name": name, "seconds": time * 3590, "rounded": time * 3600, **cost(time)}
            for name, time in zip(names, sums, strict=True)
        ],
        "days": days,
        "totals": {
            "days": 3, "seconds": sum(sums) * 3590, "rounded": sum(sums) * 3600,
            "breaks": {"count": 6, "seconds": 7800.0}, "left_out": {"entries": 4, "seconds": 210.0},
            **cost(sum(sums)),
        },
        **changes,
    }  # fmt: skip
