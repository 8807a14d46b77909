"""`dayline settings`: read and change config.toml and the preferences. Names come from the declared structs."""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast, get_args, get_type_hints

import click
import msgspec
from msgspec import Struct

from dayline.cli.groups import Group
from dayline.cli.options.options import as_json
from dayline.cli.options.setting_flags import config_option, flags_from, setting_flags, testing_option
from dayline.cli.options.settings import (
    change_setting,
    command_on,
    config_of,
    default_database,
    read_values,
    settings_from,
)
from dayline.cli.screens.layout import print_change, print_json, print_list
from dayline.config.sections import PORT, TESTING_PORT, SettingsFile, expanded
from dayline.model.errors import Invalid, NotFound, SettingsInvalid

if TYPE_CHECKING:
    from dayline.cli.options.settings import Settings

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
  dayline settings set preferences.day_start 05:00
"""
GET_EXAMPLES = """\b
Examples:
  dayline settings get server.port
  dayline settings get preferences.time_zone
"""
_PAGES: Final = "pages"
_PREFERENCES: Final = "preferences"
_PREFERENCES_PATH: Final = "/api/1/settings"


def _complete_sections(_context: click.Context, _parameter: click.Parameter, text: str) -> list[str]:
    return [name for name in _sections() if name.startswith(text)]


def _complete_names(_context: click.Context, _parameter: click.Parameter, text: str) -> list[str]:
    return [name for name in _names() if name.startswith(text)]


@click.group(cls=Group, default="list", epilog=EXAMPLES)
def settings() -> None:
    """Show and change settings and preferences.

    The server's settings are in config.toml; a running server uses a change after a restart. Preferences, such as the
    time zone, are in the database and apply at once. Flags and environment variables override the file.
    """


@settings.command("list", epilog=LIST_EXAMPLES)
@click.argument("section", required=False, shell_complete=_complete_sections)
@as_json
@testing_option
@config_option
def list_(section: str | None, is_json: bool, testing: bool, config: Path | None) -> None:
    """List the settings and preferences with their values.

    The value is the one in force: from the file, from a DAYLINE_* variable, or the default. A setting that is wrong is
    reported, and listed with its default.
    """
    if section is not None and section not in _sections():
        raise _unknown(section, _sections())
    values, faults, hints = _all(testing, config, is_wanted=section in (None, _PREFERENCES))
    for text in (*(fault.message for fault in faults), *hints):
        click.secho(text, fg="yellow", err=True)
    listed = [each for each in values if section in (None, each.name.partition(".")[0])]
    rows = [(each.name, _shown(each.value), each.source) for each in listed]
    print_list(
        [msgspec.structs.asdict(each) for each in listed], ("setting", "value", "source"), rows,
        empty="There are no settings.", is_json=is_json,
    )  # fmt: skip


@settings.command(epilog=GET_EXAMPLES)
@click.argument("name", shell_complete=_complete_names)
@as_json
@testing_option
@config_option
def get(name: str, is_json: bool, testing: bool, config: Path | None) -> None:
    """Show the value of a setting that is in force."""
    _check_name(name)
    values, faults, _ = _all(testing, config, is_wanted=name.startswith(f"{_PREFERENCES}."))
    if faults:
        raise faults[0]
    each = next((each for each in values if each.name == name), None)
    if each is None:
        raise NotFound(f"{name} is not set", hint=f"{command_on(_path(testing, config), 'list')} shows every setting")
    if is_json:
        print_json({"name": name, "value": each.value})
    else:
        click.echo(_shown(each.value))


@settings.command("set", epilog=SET_EXAMPLES)
@click.argument("name", shell_complete=_complete_names)
@click.argument("values", metavar="VALUE...", nargs=-1, required=True)
@as_json
@testing_option
@config_option
def set_(name: str, values: tuple[str, ...], is_json: bool, testing: bool, config: Path | None) -> None:
    """Set a setting in the file, or a preference in the database.

    Comments in the file are kept. A list takes several values. An invalid value is rejected, and the file stays as it
    is. Preferences apply at once, other settings after a restart of the server.
    """
    _check_name(name)
    value = _parsed(name, values)
    changed = {"name": name, "value": value}
    if name.startswith(f"{_PREFERENCES}."):
        _change_preference(name, value, testing, config)
        print_change(changed, f"Set {name}.", is_json=is_json)
        return
    if (name.startswith(f"{_PAGES}.") or name == "server.web_path") and not expanded(value).is_dir():
        raise Invalid(f"the folder of {name} does not exist: {value}", hint="create it first, or name another one")
    path = _path(testing, config)
    change_setting(path, name, value)
    print_change(
        {**changed, "file": str(path)}, f"Set {name} in {path}. Restart the server to use it.", is_json=is_json
    )


@settings.command(epilog="\b\nExample:\n  dayline settings unset server.port")
@click.argument("name", shell_complete=_complete_names)
@as_json
@testing_option
@config_option
def unset(name: str, is_json: bool, testing: bool, config: Path | None) -> None:
    """Delete a setting, so that its default applies."""
    if name.startswith(f"{_PREFERENCES}."):
        _check_name(name)
        _change_preference(name, None, testing, config)
        print_change({"name": name}, f"Deleted {name}: its default applies.", is_json=is_json)
        return
    path = _path(testing, config)
    written = _written(read_values(path, is_required=config is not None))
    if name not in written:
        _check_name(name)
        raise NotFound(
            f"{name} is not set in {path}", hint=f"{command_on(path, 'list')} shows every value and its source"
        )
    change_setting(path, name, None)
    print_change(
        {"name": name, "file": str(path)},
        f"Deleted {name} from {path}. Restart the server to use the default.",
        is_json=is_json,
    )


class _Value(Struct, frozen=True):
    """A setting or preference with the value in force. `source` is default, file, environment or database."""

    name: str
    value: Any
    source: str


class _Settings(NamedTuple):
    """The values of all settings, the errors of those that are wrong in the file, and a command for each of these."""

    values: list[_Value]
    faults: list[SettingsInvalid]
    hints: list[str]


def _all(testing: bool, config: Path | None, *, is_wanted: bool) -> _Settings:
    """Every setting and, if they are wanted, no setting is wrong and there is a database, every preference."""
    path = _path(testing, config)
    try:
        values, first = read_values(path, is_required=config is not None), None
    except SettingsInvalid as error:
        if config is not None and not path.exists():
            raise
        values, first = dict[str, Any](), error
    file, faults = _valid(values, path)
    faults = faults if first is None else [first]
    in_force = _in_force(file, _written(values), testing)
    if faults:
        hints = [f"  → {command_on(path, 'unset', name)}" for name in _wrong_names(faults, values)]
        return _Settings(in_force, faults, hints)
    return _Settings([*in_force, *(_preferences(testing, config) if is_wanted else ())], [], [])


def _valid(values: dict[str, Any], path: Path) -> tuple[SettingsFile, list[SettingsInvalid]]:
    """The settings without those that are wrong, and their errors."""
    faults: list[SettingsInvalid] = []
    while True:
        try:
            return settings_from(values, path), faults
        except SettingsInvalid as error:
            faults.append(error)
            section, _, key = _field(error).partition(".")
            table: Any = values.get(section)
            rest = {name: value for name, value in values.items() if name != section}
            if len(rest) == len(values):
                return SettingsFile(), faults
            if isinstance(table, dict) and key in table:
                rest[section] = {name: each for name, each in cast("dict[str, Any]", table).items() if name != key}
            values = rest


def _field(error: SettingsInvalid) -> str:
    """`access.hosts` for an error about `access.hosts[0]`."""
    return (error.field or "").partition("[")[0]


def _wrong_names(faults: list[SettingsInvalid], values: dict[str, Any]) -> list[str]:
    written = _written(values)
    return [name for fault in faults if (name := _field(fault)) in written]


def _in_force(file: SettingsFile, written: set[str], testing: bool) -> list[_Value]:
    values = _values(file)
    sources = dict.fromkeys(written, "file")
    for flag in setting_flags():
        text = os.environ.get(flag.variable)
        if text:
            name = f"{flag.section}.{flag.name}"
            values[name] = _parsed(name, (text,))
            sources[name] = "environment"
    if values["server.port"] is None:
        values["server.port"] = TESTING_PORT if testing else PORT
    if values["server.database"] is None:
        values["server.database"] = str(default_database(is_testing=testing))
    return [_Value(name, value, sources.get(name, "default")) for name, value in values.items()]


def _database_settings(testing: bool, config: Path | None) -> "Settings":
    from dayline.cli.options.options import selected_settings  # here, because most settings are in the file

    return selected_settings(os.environ.get("DAYLINE_DATABASE"), is_testing=testing, config=config)


def _preferences(testing: bool, config: Path | None) -> list[_Value]:
    """The preferences in the database; their defaults if there is none."""
    from dayline.cli.calls.local import reading_server  # here and below, because most settings are in the file
    from dayline.model.settings.preferences import Preferences

    usual = stored = Preferences()
    try:
        with reading_server(_database_settings(testing, config)) as server:
            stored = msgspec.convert(server.call("GET", _PREFERENCES_PATH), Preferences)
    except NotFound:
        pass  # there is no database yet
    return [
        _Value(f"{_PREFERENCES}.{name}", value, "default" if value == getattr(usual, name) else "database")
        for name, value in msgspec.structs.asdict(stored).items()
    ]


def _change_preference(name: str, value: object, testing: bool, config: Path | None) -> None:
    from dayline.cli.calls.local import storing_server  # here, because most settings are in the file

    with storing_server(_database_settings(testing, config)) as server:
        server.call("PATCH", _PREFERENCES_PATH, {name.partition(".")[2]: value})


def _path(testing: bool, config: Path | None) -> Path:
    return config_of(flags_from({}, is_testing=testing, config=config))


def _sections() -> list[str]:
    return [*(name for name in SettingsFile.__struct_fields__ if name != _PAGES), _PREFERENCES]


def _values(file: SettingsFile) -> dict[str, Any]:
    """Every setting of the file by its full name."""
    return {
        f"{section}.{name}": msgspec.to_builtins(value, enc_hook=str)
        for section in _sections()
        if section != _PREFERENCES
        for name, value in msgspec.structs.asdict(getattr(file, section)).items()
    } | {f"{_PAGES}.{name}": str(folder) for name, folder in file.pages.items()}


def _names() -> list[str]:
    from dayline.model.settings.preferences import PREFERENCES  # here, because few commands need it

    return [*_values(SettingsFile()), *(f"{_PREFERENCES}.{name}" for name in PREFERENCES)]


def _written(values: dict[str, Any]) -> set[str]:
    tables = {section: cast("dict[str, Any]", table) for section, table in values.items() if isinstance(table, dict)}
    return {f"{section}.{name}" for section, table in tables.items() for name in table}


def _check_name(name: str) -> None:
    section, _, key = name.partition(".")
    if section == _PAGES and re.fullmatch(r"[A-Za-z0-9_-]+", key):
        return
    known = _names()
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
        kinds = _kinds(get_type_hints(_struct_of(section))[key])
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


def _struct_of(section: str) -> type[Struct]:
    if section == _PREFERENCES:
        from dayline.model.settings.preferences import Preferences  # here, because few commands need it

        return Preferences
    struct: type[Struct] = get_type_hints(SettingsFile)[section]
    return struct


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
