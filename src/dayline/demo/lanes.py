"""One day of one device as its watchers would have recorded it.

Presence is generated first, then the windows in it, then the tabs and files in the windows:

    afk      [not-afk            ][afk      ][not-afk      ]
    window   [Code ][Firefox][Zoom          ][Code][Firefox]
    web              [docs  ]                       [news ]
    editor   [a.py]                           [b.py]
"""

from collections.abc import Iterator
from datetime import date, tzinfo
from random import Random
from typing import Final, NamedTuple

from msgspec import Struct

from dayline.demo.content import PEOPLE, SONGS
from dayline.demo.routine import DeviceKind, Mood, day_kind, stretches, utc_microseconds
from dayline.demo.scenes import Desk, Scene, activity_for


class PhoneApp(Struct, frozen=True, kw_only=True):
    """An app, its relative frequency, and its average duration in seconds."""

    name: str
    package: str
    classname: str
    weight: int
    dwell_s: float
    titles: tuple[str, ...] = ()


def phone_app(rng: Random) -> PhoneApp:
    """The next app."""
    return rng.choices(PHONE_APPS, _WEIGHTS)[0]


def phone_data(app: PhoneApp, rng: Random) -> dict[str, object]:
    """The data of an event, as the Android watcher sends it."""
    title = rng.choice(app.titles) if app.titles else app.name
    return {"app": app.name, "package": app.package, "classname": app.classname, "title": title}


PHONE_APPS: Final = (
    PhoneApp(name="Signal", package="org.thoughtcrime.securesms", classname="org.thoughtcrime.securesms.MainActivity",
             weight=26, dwell_s=45, titles=PEOPLE),
    PhoneApp(name="Firefox", package="org.mozilla.firefox", classname="org.mozilla.fenix.HomeActivity",
             weight=20, dwell_s=70),
    PhoneApp(name="K-9 Mail", package="com.fsck.k9", classname="com.fsck.k9.activity.MessageList",
             weight=10, dwell_s=30),
    PhoneApp(name="YouTube", package="com.google.android.youtube",
             classname="com.google.android.apps.youtube.app.watchwhile.WatchWhileActivity", weight=8, dwell_s=240),
    PhoneApp(name="AntennaPod", package="de.danoeh.antennapod", classname="de.danoeh.antennapod.activity.MainActivity",
             weight=7, dwell_s=25),
    PhoneApp(name="Spotify", package="com.spotify.music", classname="com.spotify.music.MainActivity",
             weight=6, dwell_s=20, titles=SONGS),
    PhoneApp(name="Maps", package="com.google.android.apps.maps", classname="com.google.android.maps.MapsActivity",
             weight=6, dwell_s=60),
    PhoneApp(name="Camera", package="com.android.camera", classname="com.android.camera.CameraActivity",
             weight=5, dwell_s=18),
    PhoneApp(name="Calendar", package="org.fossify.calendar", classname="org.fossify.calendar.activities.MainActivity",
             weight=5, dwell_s=15, titles=("Heute", "This week", "予定")),
    PhoneApp(name="Clock", package="com.android.deskclock", classname="com.android.deskclock.DeskClock",
             weight=4, dwell_s=8),
    PhoneApp(name="Duolingo", package="com.duolingo", classname="com.duolingo.home.HomeActivity",
             weight=3, dwell_s=180, titles=("Ελληνικά", "日本語")),
)  # fmt: skip

_WEIGHTS: Final = tuple(app.weight for app in PHONE_APPS)


SECOND = 1_000_000  # in microseconds, like all times here
MILLISECOND = 1_000
MINUTE = 60 * SECOND

# A window stays active for a while when its user is away; after that the device sleeps and nothing is recorded.
MAX_STAY = 12 * MINUTE
MEAN_ACTIVITY_S = 14 * 60.0
# A watcher polls once a second, so it misses a little between some windows.
BLINKS = (0, 0, 0, 300 * MILLISECOND, 1_100 * MILLISECOND)
MAX_NOTICE = 400  # milliseconds until a tab or a file is recorded after its window


class DemoEvent(NamedTuple):
    """An event: start (since 1970) and duration in microseconds."""

    start: int
    duration: int
    data: dict[str, object]


class DemoDevice(Struct, frozen=True, kw_only=True):
    """A device that watchers run on."""

    kind: DeviceKind
    hostname: str


class DeviceDay(Struct, frozen=True, kw_only=True):
    """One day of one device."""

    seed: int
    device: DemoDevice
    day: date
    zone: tzinfo

    def dice(self, use: str) -> Random:
        """A random generator for one use, the same on every call. Seeded by text, independent of hash settings."""
        return Random(f"{self.seed}/{self.device.hostname}/{self.day}/{use}")


class Presence(NamedTuple):
    """A period of presence in microseconds."""

    start: int
    end: int
    mood: Mood


class Shot(NamedTuple):
    """A scene and when it was on the screen."""

    start: int
    end: int
    scene: Scene


def window_events(day: DeviceDay) -> Iterator[DemoEvent]:
    """The active window, also during short absences."""
    for shot in _shots(day):
        yield DemoEvent(shot.start, shot.end - shot.start, {"app": shot.scene.app, "title": shot.scene.title})


def web_events(day: DeviceDay) -> Iterator[DemoEvent]:
    """The active tab, each event within that of its browser's window."""
    for shot in _shots(day):
        tab = shot.scene.tab
        if tab is None:
            continue
        data: dict[str, object] = {
            "url": tab.url,
            "title": tab.title,
            "audible": tab.is_audible,
            "incognito": tab.is_incognito,
            "tabCount": tab.tab_count,
        }
        yield _noticed(shot, data)


def editor_events(day: DeviceDay) -> Iterator[DemoEvent]:
    """The file in the editor, each event within that of the editor's window."""
    for shot in _shots(day):
        file = shot.scene.file
        if file is None:
            continue
        path = f"/home/robin/src/{file.project}/{file.path}"
        yield _noticed(shot, {"file": path, "project": file.project, "language": file.language})


def afk_events(day: DeviceDay) -> Iterator[DemoEvent]:
    """Presence and absence from the first to the last presence of the day, without gaps."""
    left: int | None = None
    for presence in _presences(day):
        if left is not None:
            yield DemoEvent(left, presence.start - left, {"status": "afk"})
        yield DemoEvent(presence.start, presence.end - presence.start, {"status": "not-afk"})
        left = presence.end


def phone_events(day: DeviceDay) -> Iterator[DemoEvent]:
    """The active app for each use of the phone."""
    dice = day.dice("apps")
    for presence in _presences(day):
        clock = presence.start
        while clock < presence.end:
            app = phone_app(dice)
            end = min(clock + _milliseconds(2 + dice.expovariate(1 / app.dwell_s)), presence.end)
            yield DemoEvent(clock, end - clock, phone_data(app, dice))
            clock = end


def _presences(day: DeviceDay) -> Iterator[Presence]:
    kind = day_kind(day.seed, day.day)
    for stretch in stretches(day.device.kind, kind, day.dice("presence")):
        start = utc_microseconds(day.day, stretch.start, day.zone)
        yield Presence(start, start + _milliseconds(stretch.end - stretch.start), stretch.mood)


def _shots(day: DeviceDay) -> Iterator[Shot]:
    """The windows of the day; equal neighbors are merged. The last one of a presence stays during a short break:

    present   [           ]      [        ]
    windows   [a][b][a][c        ][d][b   ]
    """
    dice = day.dice("windows")
    desk = _desk(day, dice)
    held: Shot | None = None
    for presence in _presences(day):
        if held is not None:
            yield held._replace(end=presence.start) if presence.start - held.end <= MAX_STAY else held
            held = None
        for shot in _shots_of(presence, desk):
            if held is not None and held.scene == shot.scene:
                held = held._replace(end=shot.end)
                continue
            if held is not None:
                yield held
            held = shot
    if held is not None:
        yield held


def _shots_of(presence: Presence, desk: Desk) -> Iterator[Shot]:
    clock = presence.start
    while clock < presence.end:
        scenes = activity_for(presence.mood, desk.rng)(desk)
        turn = min(clock + _milliseconds(30 + desk.rng.expovariate(1 / MEAN_ACTIVITY_S)), presence.end)
        while clock < turn:
            scene = next(scenes)
            end = min(clock + _milliseconds(1 + desk.rng.expovariate(1 / scene.dwell_s)), turn)
            yield Shot(clock, end, scene)
            clock = end + desk.rng.choice(BLINKS)


def _desk(day: DeviceDay, dice: Random) -> Desk:
    browser, browser_title = ("Firefox", "Mozilla Firefox") if day.device.kind == "laptop" else ("Google Chrome",) * 2
    return Desk(
        rng=dice,
        day=day.day,
        seed=day.seed,
        hostname=day.device.hostname,
        browser=browser,
        browser_title=browser_title,
    )


def _noticed(shot: Shot, data: dict[str, object]) -> DemoEvent:
    """The tab or file of a window, recorded a little after it. The delay follows from the time: no random numbers."""
    delay = min(shot.start // MILLISECOND % MAX_NOTICE * MILLISECOND, (shot.end - shot.start) // 2)
    return DemoEvent(shot.start + delay, shot.end - shot.start - delay, data)


def _milliseconds(seconds: float) -> int:
    """Seconds as microseconds, in whole milliseconds as watchers send them."""
    return int(seconds * 1000) * MILLISECOND
