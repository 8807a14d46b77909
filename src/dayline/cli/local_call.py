"""What a call of our own commands is: to whom, and what comes back."""

from typing import Any, BinaryIO, Final, Protocol
from urllib.parse import urlencode

import msgspec
from msgspec import Struct

from dayline.model.errors import DaylineError, Forbidden, Invalid, NotFound, Unauthorised, Unavailable

_FAMILY: Final[dict[int, type[DaylineError]]] = {401: Unauthorised, 403: Forbidden, 404: NotFound, 503: Unavailable}


class _Refusal(Struct):
    message: str = ""
    hint: str | None = None
    excerpt: str | None = None


class LocalServer(Protocol):
    """Whoever answers calls about a database on this machine. A server takes several at once, from any thread."""

    @property
    def is_server(self) -> bool: ...

    @property
    def url(self) -> str | None:
        """The address of the server; None if the command has opened the database itself."""
        ...

    def call(self, method: str, path: str, body: object = None, **query: object) -> Any:
        """Make a call and decode its answer. Raises an error of our family with the words of the server."""
        ...

    def read(self, path: str, **query: object) -> bytes:
        """GET an answer as it is, whatever its type. Raises the same."""
        ...

    def send(self, path: str, file: BinaryIO, **query: object) -> Any:
        """POST a file that holds JSON, of any size, and decode the answer. Raises the same, or OSError."""
        ...


def path_with(path: str, query: dict[str, object]) -> str:
    """The path with its parameters; those that are None are left out, and those that are lists are repeated."""
    given = {name: value for name, value in query.items() if value is not None and value != ()}
    return f"{path}?{urlencode(given, doseq=True)}" if given else path


def decoded(status: int, body: bytes) -> Any:
    """The value of a good answer. Raises what a bad one says."""
    content = checked(status, body)
    return msgspec.json.decode(content) if content else None


def checked(status: int, body: bytes) -> bytes:
    """A good answer as it is. Raises what a bad one says."""
    if status < 400:
        return body
    told = msgspec.json.decode(body, type=_Refusal) if body else _Refusal()
    kind = _FAMILY.get(status, Invalid)
    place = f"\n{told.excerpt}" if told.excerpt else ""  # of an error in a program
    raise kind((told.message or f"the server answered {status}") + place, hint=told.hint)
