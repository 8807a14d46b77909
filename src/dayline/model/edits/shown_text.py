"""Texts as pages show them: long ones are truncated. Exports and `/api/0` return them whole."""

from collections.abc import Iterable
from typing import Annotated, Any, Final, TypeAlias, cast

from msgspec import Meta

from dayline.model.data import CanonicalJson, canonical_json, decode_value

MAX_SHOWN_BYTES: Final = 4000  # of UTF-8; the longest titles and URLs in use have about 2,000
ELLIPSIS: Final = "…"
_MAX_BYTES_PER_CHARACTER: Final = 4

TextPath: TypeAlias = list[str | int]
TruncatedTexts = Annotated[
    list[TextPath],
    Meta(
        description="the texts that are truncated to 4,000 bytes and end with `…`, each as the keys and list indices "
        "that lead to it; `GET /api/0/buckets/{bucket_id}/events/{event_id}` returns them whole",
        examples=[[["title"]]],
    ),
]
TruncatedNumbers = Annotated[
    list[int], Meta(description="the indices of texts that are truncated to 4,000 bytes and end with `…`")
]


def shown_text(text: str) -> str:
    """The text, truncated with an ellipsis if it is long; the same object if it is not."""
    if len(text) * _MAX_BYTES_PER_CHARACTER <= MAX_SHOWN_BYTES or len(encoded := text.encode()) <= MAX_SHOWN_BYTES:
        return text
    return encoded[:MAX_SHOWN_BYTES].decode(errors="ignore") + ELLIPSIS


def shown_texts(texts: Iterable[str]) -> tuple[list[str], list[int]]:
    """The texts, and the indices of those that are truncated."""
    pairs = [(text, shown_text(text)) for text in texts]
    return [shown for _, shown in pairs], [number for number, (text, shown) in enumerate(pairs) if shown is not text]


def shown_fields(fields: dict[str, str | None]) -> tuple[dict[str, str | None], list[str]]:
    """The fields with their texts truncated, and the names of those that are."""
    shown = {name: None if text is None else shown_text(text) for name, text in fields.items()}
    return shown, [name for name, text in fields.items() if shown[name] is not text]


def shown_data(data: CanonicalJson) -> tuple[CanonicalJson, list[TextPath]]:
    """An event's data with its texts truncated, and the paths of those that are."""
    if len(data) <= MAX_SHOWN_BYTES:
        return data, []
    value, truncated = shown_object(decode_value(data))
    return (canonical_json(value), truncated) if truncated else (data, [])


def shown_object(value: dict[str, Any]) -> tuple[dict[str, Any], list[TextPath]]:
    """The same for decoded data."""
    truncated: list[TextPath] = []
    return cast("dict[str, Any]", _shown(value, [], truncated)), truncated


def _shown(value: object, path: TextPath, truncated: list[TextPath]) -> object:
    if isinstance(value, str):
        shown = shown_text(value)
        if shown is not value:
            truncated.append(path)
        return shown
    if isinstance(value, list):
        items = cast("list[object]", value)
        return [_shown(item, [*path, number], truncated) for number, item in enumerate(items)]
    if isinstance(value, dict):
        return {key: _shown(item, [*path, key], truncated) for key, item in cast("dict[str, object]", value).items()}
    return value
