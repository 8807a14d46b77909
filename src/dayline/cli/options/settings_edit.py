"""Changes one setting in the settings file."""

import re
from pathlib import Path
from typing import Any, Final

import msgspec

from dayline.cli.options.settings import read_values, settings_from
from dayline.model.errors import Invalid, SettingsInvalid
from dayline.runtime.files import write_whole

_SECTION_LINE: Final = re.compile(r"\s*\[\s*([A-Za-z0-9_.\-]+)\s*\]\s*(#.*)?")


def change_setting(path: Path, name: str, value: Any) -> None:
    """Set a setting (`section.key`) in the file, or delete it if `value` is None. Comments and other lines stay.

    Raises Invalid if the value is invalid, or the file cannot be edited safely or written. It stays as it was then.
    """
    import tomllib  # here, because other commands start faster without it

    text = path.read_text("utf-8") if path.exists() else ""
    section, _, key = name.partition(".")
    expected = read_values(path)
    table = dict(expected.get(section, {}))
    table.pop(key, None)
    if value is not None:
        table[key] = value
    expected = {**expected, section: table}
    changed = _edited(text, section, key, value)
    try:
        values = tomllib.loads(changed)
    except tomllib.TOMLDecodeError:
        values = {}
    if {**values, section: values.get(section, {})} != expected:
        # A value of several lines, an inline table, a key in quotes: rare, and easy to break.
        raise Invalid(f"cannot change {name} in {path} automatically", hint=f"edit {path} with a text editor")
    try:
        settings_from(values, path)
    except SettingsInvalid as error:
        raise Invalid(
            error.message.removeprefix(f"{path}: "), hint="docs/reference/settings.md lists valid values"
        ) from error
    write_whole(path.resolve(), changed.encode(), mode=0o600)  # a link to the file stays a link


def _edited(text: str, section: str, key: str, value: Any) -> str:
    """The text with the line of the key replaced, added or deleted. Other lines and comments stay as they are."""
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    start = next((number + 1 for number, line in enumerate(lines) if _section_of(line) == section), None)
    new = [] if value is None else [f"{key} = {_toml(value)}\n"]
    if start is None:
        blank = ["\n"] if lines else []
        return "".join([*lines, *blank, f"[{section}]\n", *new])
    end = next((number for number in range(start, len(lines)) if _section_of(lines[number])), len(lines))
    pattern = re.compile(rf"\s*{re.escape(key)}\s*=\s*(?P<value>[^#\n]*?)(?P<comment>\s*#.*)?\n")
    for number in range(start, end):
        found = pattern.fullmatch(lines[number])
        if found is not None:
            comment = found["comment"] or ""
            kept = [f"{key} = {_toml(value)}{comment}\n"] if value is not None else []
            return "".join([*lines[:number], *kept, *lines[number + 1 :]])
    while end > start and not lines[end - 1].strip():
        end -= 1  # before the blank lines that separate sections
    return "".join([*lines[:end], *new, *lines[end:]])


def _section_of(line: str) -> str | None:
    found = _SECTION_LINE.fullmatch(line.rstrip("\n"))
    return None if found is None else found[1]


def _toml(value: Any) -> str:
    """A value in TOML. JSON writes strings, numbers, booleans and lists of strings the same way."""
    return msgspec.json.encode(value).decode()
