"""A program on a real session bus whose answers a test sets."""

import threading
from collections.abc import Callable
from typing import Any, TypeAlias

from jeepney import HeaderFields, MessageType, message_bus, new_error, new_method_return
from jeepney.io.blocking import Proxy, open_dbus_connection

Answer: TypeAlias = Callable[..., tuple[str, tuple[Any, ...]]]  # of the arguments: a signature and values


class BusService:
    """Has names on the bus, and responses calls of methods by their name. A method without a response is unknown."""

    def __init__(self, address: str, *names: str) -> None:
        self.answers: dict[str, Answer] = {}
        self.connection = open_dbus_connection(address)
        for name in names:
            Proxy(message_bus, self.connection).RequestName(name)
        self._is_closing = False
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def close(self) -> None:
        self._is_closing = True
        self._thread.join()
        self.connection.close()

    def _serve(self) -> None:
        while not self._is_closing:
            try:
                message = self.connection.receive(timeout=0.05)
            except TimeoutError:
                continue
            if message.header.message_type is not MessageType.method_call:
                continue
            answer = self.answers.get(message.header.fields[HeaderFields.member])
            if answer is None:
                self.connection.send(new_error(message, "org.freedesktop.DBus.Error.UnknownMethod"))
            else:
                self.connection.send(new_method_return(message, *answer(*message.body)))
