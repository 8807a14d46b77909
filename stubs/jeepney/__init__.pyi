"""The part of jeepney that tests use; the package itself has no types."""

from enum import Enum
from typing import Any

class HeaderFields(Enum):
    member = 3

class MessageType(Enum):
    method_call = 1

message_bus: Any

def new_error(parent: Any, error_name: str) -> Any: ...
def new_method_return(parent: Any, signature: str, body: tuple[Any, ...]) -> Any: ...
