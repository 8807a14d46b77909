"""What is open on the phone of the demo: apps with the package and class that Android gives them."""

from random import Random
from typing import Final

from msgspec import Struct

from dayline.demo.words import PEOPLE, SONGS


class PhoneApp(Struct, frozen=True, kw_only=True):
    """An app, its share of the looks at the phone, and how long one look lasts on average."""

    name: str
    package: str
    classname: str
    weight: int
    dwell_s: float
    titles: tuple[str, ...] = ()


def phone_app(rng: Random) -> PhoneApp:
    """The app that is opened next."""
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
