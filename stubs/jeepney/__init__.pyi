"""The part of jeepney that is used here; the package itself has no types."""

from enum import Enum
from typing import Any

class HeaderFields(Enum):
    member = 3
    sender = 7

class MessageType(Enum):
    method_call = 1

class DBusErrorResponse(Exception): ...

class DBusAddress:
    def __init__(self, object_path: str, bus_name: str | None = None, interface: str | None = None) -> None: ...

class MatchRule:
    def __init__(
        self,
        *,
        type: str | None = None,
        sender: str | None = None,
        interface: str | None = None,
        member: str | None = None,
        path: str | None = None,
    ) -> None: ...
    def serialise(self) -> str: ...

message_bus: Any

def new_error(parent: Any, error_name: str) -> Any: ...
def new_method_call(
    remote_obj: DBusAddress, method: str, signature: str | None = None, body: tuple[Any, ...] = ()
) -> Any: ...
def new_method_return(parent: Any, signature: str | None = None, body: tuple[Any, ...] = ()) -> Any: ...
