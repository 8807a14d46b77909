"""A child process that runs one function: python -m dayline.storage.operations.child MODULE:FUNCTION NICENESS

It reads the arguments from standard input, where no other user can see them, and prints the result. See children.py.
"""

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, Final, get_type_hints

import msgspec

_ARGUMENTS: Final = msgspec.json.Decoder(tuple[list[msgspec.Raw], dict[str, msgspec.Raw]])


def main() -> None:
    name, niceness = sys.argv[1:]
    if sys.platform != "win32":
        os.nice(int(niceness))
    module, _, function = name.partition(":")
    result = call(getattr(import_module(module), function), sys.stdin.buffer.read())
    sys.stdout.buffer.write(msgspec.json.encode(result))


def call(function: Any, sent: bytes) -> object:
    """The result of a function for the arguments that ChildFunction sent; its annotations are their types."""
    kinds = get_type_hints(function)
    placed, named = _ARGUMENTS.decode(sent)
    arguments = [_decode(raw, kind) for raw, kind in zip(placed, kinds.values(), strict=False)]
    return function(*arguments, **{key: _decode(raw, kinds[key]) for key, raw in named.items()})


def _decode(raw: msgspec.Raw, kind: Any) -> object:
    return msgspec.json.decode(raw, type=kind, dec_hook=_path)


def _path(kind: type[Any], value: Any) -> Path:
    assert kind is Path
    return Path(value)


if __name__ == "__main__":
    main()
