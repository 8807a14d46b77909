"""The message bus of a desktop session (D-Bus), on which compositors report what Wayland does not."""

from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from jeepney import (
    DBusAddress,
    DBusErrorResponse,
    HeaderFields,
    MatchRule,
    new_error,
    new_method_call,
    new_method_return,
)
from jeepney.io.blocking import open_dbus_connection
from jeepney.wrappers import unwrap_msg

from dayline.client.watch.desktop import runtime_folder
from dayline.model.errors import Unavailable

_BUS: Final = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")
_TIMEOUT_S: Final = 10.0  # for another program to answer
_UNKNOWN_METHOD: Final = "org.freedesktop.DBus.Error.UnknownMethod"


class CallFailed(Exception):
    """The other program answered with an error, or not in time."""


class SessionBus:
    """A connection to the bus, used by one thread. Every method raises Unavailable once it is lost."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        address = _address(environment)
        try:
            self._connection = open_dbus_connection(address)
        except (OSError, RuntimeError, ValueError, DBusErrorResponse) as error:  # what jeepney raises for an address
            raise Unavailable(
                f"cannot connect to the session bus at {address}: {error}", hint="is the session running?"
            ) from error
        self.close = self._connection.close
        self._calls: deque[Any] = deque()
        self._connection.filter(MatchRule(type="method_call"), queue=self._calls)

    @property
    def unique_name(self) -> str:
        """The name of this connection. A bus never uses it again."""
        return str(self._connection.unique_name)

    def fileno(self) -> int:
        return int(self._connection.sock.fileno())

    def call(self, address: tuple[str, str, str], method: str, signature: str = "", *body: Any) -> Any:
        """Call a method of a service, path and interface. Returns its only result. Raises CallFailed."""
        service, path, interface = address
        message = new_method_call(DBusAddress(path, service, interface), method, signature or None, body)
        try:
            results = unwrap_msg(self._connection.send_and_get_reply(message, timeout=_TIMEOUT_S))
        except (DBusErrorResponse, TimeoutError) as error:
            raise CallFailed(f"{interface}.{method}: {error}") from error
        except OSError as error:
            raise _ended(error) from error
        return results[0] if results else None

    def has_owner(self, name: str) -> bool:
        """Whether a program has this name."""
        return bool(self.call(_BUS, "NameHasOwner", "s", name))

    def owner(self, name: str) -> str:
        """The unique name of the program that has this name. Raises CallFailed if none has."""
        return str(self.call(_BUS, "GetNameOwner", "s", name))

    def subscribe(self, address: tuple[str, str, str], signal: str) -> None:
        """Receive a signal from now on."""
        service, path, interface = address
        rule = MatchRule(type="signal", sender=service, path=path, interface=interface, member=signal)
        self.call(_BUS, "AddMatch", "s", rule.serialise())

    def calls(self, sender: str, member: str) -> list[tuple[Any, ...]]:
        """The arguments of calls that have arrived from a program, oldest first. Answers all calls; does not wait."""
        self.receive()
        answers: list[tuple[Any, ...]] = []
        while self._calls:
            message = self._calls.popleft()
            fields = message.header.fields
            if (fields.get(HeaderFields.sender), fields.get(HeaderFields.member)) == (sender, member):
                answers.append(message.body)
                self._send(new_method_return(message))
            else:
                self._send(new_error(message, _UNKNOWN_METHOD))
        return answers

    def receive(self) -> None:
        """Take in what has arrived, without waiting. `fileno` is readable again when more arrives."""
        try:
            with suppress(TimeoutError):
                while True:
                    self._connection.recv_messages(timeout=0)
        except OSError as error:
            raise _ended(error) from error

    def _send(self, message: Any) -> None:
        try:
            self._connection.send(message)
        except OSError as error:
            raise _ended(error) from error


def _address(environment: Mapping[str, str]) -> str:
    return environment.get("DBUS_SESSION_BUS_ADDRESS") or f"unix:path={runtime_folder(environment)}/bus"


def _ended(error: OSError) -> Unavailable:
    return Unavailable(f"the session bus closed the connection: {error}", hint="has the session ended?")
