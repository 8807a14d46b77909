"""An example of every response body: what a server sent, or else built from its struct."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, Final, cast

import msgspec
from msgspec import inspect

# Responses of a server by the name of the call, and of its renderings by "name media". A test records them again.
RECORDED: Final = Path(__file__).with_name("recorded_examples.json")

_TIME: Final = "2026-03-05T08:15:31.250Z"
_DATA: Final = {"app": "Editor", "title": "notes.md"}
# Values of fields whose type says only that they are texts.
_TEXTS: Final = {
    "app": "Editor", "bucket": "aw-watcher-window_laptop", "category": "Work", "client": "aw-watcher-window",
    "color": "teal", "device": "laptop", "hostname": "laptop", "key": "Work", "label": "Lunch", "name": "Work",
    "message": "the disk is full", "title": "notes.md", "type": "currentwindow", "version": "0.1.0",
}  # fmt: skip


@cache
def recorded_examples() -> dict[str, Any]:
    """The recorded answers."""
    examples: dict[str, Any] = msgspec.json.decode(RECORDED.read_bytes())
    return examples


def example_of(kind: Any) -> object:
    """A JSON value of this type, the same in every process."""
    return _example(inspect.type_info(kind), "", ())


def _example(kind: inspect.Type, name: str, within: tuple[type, ...]) -> object:
    match kind:
        case inspect.Metadata():
            schema = cast("dict[str, Any]", kind.extra_json_schema or {})  # its type says less
            if "examples" in schema:
                example: object = schema["examples"][0]
                return example
            if schema.get("additionalProperties") is False:
                return {}
            return _DATA if schema.get("type") == "object" else _example(kind.type, name, within)
        case inspect.UnionType():
            return _example(_first(kind.types, within), name, within)
        case inspect.StructType():
            fields = {
                field.encode_name: _example(field.type, field.encode_name, (*within, kind.cls))
                for field in kind.fields
                if not _is_recursive(field.type, (*within, kind.cls)) or field.required
            }
            return fields if kind.tag_field is None else {kind.tag_field: kind.tag, **fields}
        case inspect.ListType() | inspect.VarTupleType() | inspect.SetType():
            is_empty = _is_recursive(kind.item_type, within)
            return [] if is_empty else [_example(kind.item_type, name, within)] * max(1, kind.min_length or 0)
        case inspect.TupleType():
            return [_example(each, name, within) for each in kind.item_types]
        case inspect.DictType():
            return {str(_example(kind.key_type, "name", within)): _example(kind.value_type, name, within)}
        case inspect.LiteralType():
            return kind.values[0]
        case _:
            return _scalar(kind, name)


def _scalar(kind: inspect.Type, name: str) -> object:
    match kind:
        case inspect.StrType():
            return _text(kind, name)
        case inspect.IntType():
            return _number(kind.ge, kind.gt, 1)
        case inspect.FloatType():
            return float(_number(kind.ge, kind.gt, 1))
        case inspect.BoolType():
            return True
        case inspect.DateTimeType():
            return _TIME
        case _:
            return None


def _number(at_least: float | None, above: float | None, usual: int) -> int:
    lowest = at_least if at_least is not None else None if above is None else int(above) + 1
    return usual if lowest is None else max(usual, int(lowest))


def _text(kind: inspect.StrType, name: str) -> str:
    text = _TEXTS.get(name, "text")
    return text if kind.max_length is None else text[: kind.max_length]


def _first(kinds: Iterable[inspect.Type], within: tuple[type, ...]) -> inspect.Type:
    """The alternative that shows most: null only if there is no other."""
    listed = list(kinds)
    shown = [each for each in listed if not isinstance(each, inspect.NoneType) and not _is_recursive(each, within)]
    return (shown or listed)[0]


def _is_recursive(kind: inspect.Type, within: tuple[type, ...]) -> bool:
    return isinstance(kind, inspect.StructType) and kind.cls in within
