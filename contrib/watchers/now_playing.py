"""Records what your media player is playing, from every player that supports MPRIS."""

import time

from jeepney import DBusAddress, Properties, message_bus
from jeepney.io.blocking import DBusConnection, Proxy, open_dbus_connection

from dayline.client import Watcher

INTERVAL_S = 5.0
PREFIX = "org.mpris.MediaPlayer2."


def now_playing(bus: DBusConnection) -> dict[str, str] | None:
    names = Proxy(message_bus, bus).ListNames()[0]
    for name in sorted(name for name in names if name.startswith(PREFIX)):
        player = Properties(DBusAddress("/org/mpris/MediaPlayer2", name, f"{PREFIX}Player"))
        properties = bus.send_and_get_reply(player.get_all()).body[0]
        if properties["PlaybackStatus"][1] != "Playing":
            continue
        metadata = {key: value for key, (_, value) in properties["Metadata"][1].items()}
        return {
            "player": name.removeprefix(PREFIX),
            "artist": ", ".join(metadata.get("xesam:artist", [])),
            "title": metadata.get("xesam:title", ""),
        }
    return None


def main() -> None:
    bus = open_dbus_connection("SESSION")
    with Watcher("now-playing", type="app.media.playing", pulsetime_s=2.5 * INTERVAL_S) as watcher:
        while True:
            if playing := now_playing(bus):
                watcher.heartbeat(playing)
            time.sleep(INTERVAL_S)


if __name__ == "__main__":
    main()
