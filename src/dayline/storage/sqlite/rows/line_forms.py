"""An event as a line of a table or of JSON, written by SQLite itself: the interpreter is free for heartbeats."""

from typing import Final

from dayline.model.event_table import FORMULA_STARTS
from dayline.storage.base import LineForm

_FIELDS: Final = ("app", "title", "url")
_STARTS: Final = ", ".join(f"char({ord(start)})" for start in FORMULA_STARTS)
_FORMULA: Final = f"substr({{text}}, 1, 1) IN ({_STARTS})"
_QUOTED: Final = """'"' || replace({text}, '"', '""') || '"'"""


def line_forms(timestamp: str, duration: str, json: str) -> dict[LineForm, tuple[str, str]]:
    """The SQL of a line in each form, and what stands between two lines. `:head` is what every line begins with."""
    end = timestamp.replace("moment", "(moment + span)")
    fields = " || ',' || ".join(
        _cell(f"(json ->> '$.{name}')", f"json_type(json, '$.{name}') = 'text'") for name in _FIELDS
    )
    data = _QUOTED.format(text="json")
    table = f":head || ',' || {timestamp} || ',' || {end} || ',' || {duration} || ',' || {fields} || ',' || {data}"
    return {"csv": (table, "\r\n"), "ndjson": (f":head || {json}", "\n")}


def _cell(text: str, condition: str) -> str:
    quoted = _QUOTED.format(text=text)
    formula = _QUOTED.format(text=f"('''' || {text})")
    return f"CASE WHEN {condition} THEN iif({_FORMULA.format(text=text)}, {formula}, {quoted}) ELSE '' END"
