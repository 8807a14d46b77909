"""A child process that runs one function: python -m dayline.storage.operations.child MODULE:FUNCTION NICENESS

It reads the arguments from standard input, where no other user can see them, and prints the result. See children.py.
"""

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, Final, get_type_hints

import msgspec

from dayline.model.errors import DaylineError

_ARGUMENTS: Final = msgspec.json.Decoder(tuple[list[msgspec.Raw], dict[str, msgspec.Raw]])


def main() -> None:
    name, niceness = sys.argv[1:]
    if sys.platform != "win32":
        os.nice(int(niceness))
    module, _, function = name.partition(":")
    try:
        result = call(getattr(import_module(module), function), sys.stdin.buffer.read())
    except DaylineError as error:
        sys.exit(error.message)
    sys.stdout.buffer.write(encode(result))


def call(function: Any, sent: bytes) -> object:
    """The result of a function for the arguments that ChildFunction sent; its annotations are their types."""
    kinds = get_type_hints(function)
    placed, named = _ARGUMENTS.decode(sent)
    arguments = [decode(raw, kind) for raw, kind in zip(placed, kinds.values(), strict=False)]
    return function(*arguments, **{key: decode(raw, kinds[key]) for key, raw in named.items()})


def encode(value: object) -> bytes:
    """A value as JSON; it may contain paths."""
    return msgspec.json.encode(value, enc_hook=str)


def decode(content: bytes | msgspec.Raw, kind: Any) -> Any:
    """The reverse of `encode`."""
    return msgspec.json.decode(content, type=kind, dec_hook=_path)


def _path(kind: type[Any], value: Any) -> Path:
    assert kind is Path
    return Path(value)


if __name__ == "__main__":
    main()
