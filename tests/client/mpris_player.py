"""A media player on the session bus that supports as much of MPRIS as a watcher reads.

Called with a title. Prints a line as soon as it can be found.
"""

import sys

from jeepney import HeaderFields, MessageType, message_bus, new_error, new_method_return
from jeepney.io.blocking import Proxy, open_dbus_connection


def main() -> None:
    bus = open_dbus_connection("SESSION")
    Proxy(message_bus, bus).RequestName("org.mpris.MediaPlayer2.testplayer")
    print("ready", flush=True)  # noqa: T201
    metadata = {"xesam:title": ("s", sys.argv[1]), "xesam:artist": ("as", ["One", "Other"])}
    properties = {"PlaybackStatus": ("s", "Playing"), "Metadata": ("a{sv}", metadata)}
    while True:
        message = bus.receive()
        if message.header.message_type is not MessageType.method_call:
            continue
        if message.header.fields[HeaderFields.member] == "GetAll":
            bus.send(new_method_return(message, "a{sv}", (properties,)))
        else:
            bus.send(new_error(message, "org.freedesktop.DBus.Error.UnknownMethod"))


if __name__ == "__main__":
    main()
