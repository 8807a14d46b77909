"""`dayline settings`: read and change config.toml. Every key comes from its declaration in config/sections.py."""

import re
from pathlib import Path
from typing import Any, Final, cast, get_args, get_type_hints

import click
import msgspec

from dayline.cli.groups import Group
from dayline.cli.options.options import as_json
from dayline.cli.options.setting_flags import config_option, flags_from, testing_option
from dayline.cli.options.settings import change_setting, config_of, read_file, read_values
from dayline.cli.screens.layout import print_json, print_list
from dayline.config.sections import SettingsFile
from dayline.model.errors import Invalid, NotFound

EXAMPLES = """\b
Examples:
  dayline settings
  dayline settings get server.port
  dayline settings set server.port 5700
  dayline settings unset server.port
"""
LIST_EXAMPLES = """\b
Examples:
  dayline settings list
  dayline settings list backup
  dayline settings list --json
"""
SET_EXAMPLES = """\b
Examples:
  dayline settings set server.port 5700
  dayline settings set backup.enabled false
  dayline settings set access.hosts laptop.lan 192.168.1.5
"""
_PAGES: Final = "pages"


@click.group(cls=Group, default="list", epilog=EXAMPLES)
def settings() -> None:
    """Show and change the settings file.

    A running server uses a change after a restart. Flags and environment variables override the file.
    """


@settings.command("list", epilog=LIST_EXAMPLES)
@click.argument("section", required=False)
@as_json
@testing_option
@config_option
def list_(section: str | None, is_json: bool, testing: bool, config: Path | None) -> None:
    """List the settings with their values."""
    path = _path(testing, config)
    if section is not None and section not in _sections():
        raise _unknown(section, _sections())
    written = _written(read_values(path))
    values = _values(read_file(path, is_required=False))
    listed = [
        {"name": name, "value": value, "source": "file" if name in written else "default"}
        for name, value in values.items()
        if section in (None, name.partition(".")[0])
    ]
    rows = [(each["name"], _shown(each["value"]), each["source"]) for each in listed]
    print_list(listed, ("setting", "value", "source"), rows, empty="There are no settings.", is_json=is_json)


@settings.command(epilog="\b\nExample:\n  dayline settings get server.port")
@click.argument("name")
@as_json
@testing_option
@config_option
def get(name: str, is_json: bool, testing: bool, config: Path | None) -> None:
    """Show the value of a setting."""
    values = _values(read_file(_path(testing, config), is_required=False))
    if name not in values:
        raise _unknown(name, list(values))
    if is_json:
        print_json({"name": name, "value": values[name]})
    else:
        click.echo(_shown(values[name]))


@settings.command("set", epilog=SET_EXAMPLES)
@click.argument("name")
@click.argument("values", metavar="VALUE...", nargs=-1, required=True)
@testing_option
@config_option
def set_(name: str, values: tuple[str, ...], testing: bool, config: Path | None) -> None:
    """Set a setting in the settings file. Comments are kept.

    A list takes several values. A value that is invalid is refused, and the file stays as it is.
    """
    _check_name(name)
    path = _path(testing, config)
    change_setting(path, name, _parsed(name, values))
    click.echo(f"Set {name} in {path}. Restart the server to use it.", err=True)


@settings.command(epilog="\b\nExample:\n  dayline settings unset server.port")
@click.argument("name")
@testing_option
@config_option
def unset(name: str, testing: bool, config: Path | None) -> None:
    """Delete a setting from the file, so that its default applies."""
    _check_name(name)
    path = _path(testing, config)
    if name not in _written(read_values(path)):
        raise NotFound(f"{name} is not set in {path}", hint="dayline settings list shows every value and its source")
    change_setting(path, name, None)
    click.echo(f"Deleted {name} from {path}. Restart the server to use the default.", err=True)


def _path(testing: bool, config: Path | None) -> Path:
    return config_of(flags_from({}, is_testing=testing, config=config))


def _sections() -> list[str]:
    return [name for name in SettingsFile.__struct_fields__ if name != _PAGES]


def _values(file: SettingsFile) -> dict[str, Any]:
    """Every setting by its full name."""
    return {
        f"{section}.{name}": msgspec.to_builtins(value, enc_hook=str)
        for section in _sections()
        for name, value in msgspec.structs.asdict(getattr(file, section)).items()
    } | {f"{_PAGES}.{name}": str(folder) for name, folder in file.pages.items()}


def _written(values: dict[str, Any]) -> set[str]:
    tables = {section: cast("dict[str, Any]", table) for section, table in values.items() if isinstance(table, dict)}
    return {f"{section}.{name}" for section, table in tables.items() for name in table}


def _check_name(name: str) -> None:
    section, _, key = name.partition(".")
    if section == _PAGES and re.fullmatch(r"[A-Za-z0-9_-]+", key):
        return
    known = list(_values(SettingsFile()))
    if name not in known:
        raise _unknown(name, known)


def _unknown(name: str, known: list[str]) -> Invalid:
    from difflib import get_close_matches  # here, because only a typo needs it

    last = name.rpartition(".")[2]
    same = [each for each in known if each.rpartition(".")[2] == last]
    close = same or get_close_matches(name, known, n=3)
    hint = f"did you mean: {', '.join(close)}" if close else "dayline settings list shows every setting"
    return Invalid(f"unknown setting {name!r}", hint=hint)


def _parsed(name: str, values: tuple[str, ...]) -> Any:
    """The values by the type of the setting. Raises Invalid."""
    section, _, key = name.partition(".")
    if section == _PAGES:
        kinds: tuple[Any, ...] = (str,)
    else:
        kinds = _kinds(get_type_hints(get_type_hints(SettingsFile)[section])[key])
    if list in kinds or tuple in kinds:
        return [] if list(values) == [""] else list(values)
    if len(values) > 1:
        raise Invalid(f"{name} takes one value (got {len(values)})", hint="quote a value that contains spaces")
    text = "".join(values)  # exactly one
    if bool in kinds:
        if text.lower() not in ("true", "false"):
            raise Invalid(f"{name} must be true or false (got {text!r})")
        return text.lower() == "true"
    for kind in (int, float):
        if kind in kinds:
            try:
                return kind(text)
            except ValueError:
                continue
    if {int, float} & set(kinds):
        raise Invalid(f"{name} must be a number (got {text!r})")
    return text


def _kinds(hint: Any) -> tuple[Any, ...]:
    """The plain types of an annotation: those of a union, and the list of a `list[str]`."""
    origin = getattr(hint, "__origin__", None)
    if origin in (list, tuple):
        return (origin,)
    if isinstance(hint, type):
        return (hint,)
    return tuple(kind for part in get_args(hint) for kind in _kinds(part))


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, cast("list[Any]", value))) or "-"
    return str(value) or "-"
