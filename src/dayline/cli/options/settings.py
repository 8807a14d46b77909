"""Settings from a TOML file, then environment variables, then flags; the later wins."""

import importlib.util
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import platformdirs
from msgspec import Struct
from msgspec.structs import asdict, replace

from dayline.access.origins import normal_base_path
from dayline.cli.output_files import write_whole
from dayline.config.sections import PORT, TESTING_PORT, ServerSettings, SettingsFile, expanded, parse_settings
from dayline.model.data import invalid
from dayline.model.errors import Invalid, SettingsInvalid, StoreUnusable
from dayline.runtime.files import make_folders
from dayline.storage.postgres.address import is_postgres

_APP: Final = "dayline"


class Settings(SettingsFile, frozen=True, kw_only=True):
    """The settings file with flags applied, and what follows from both."""

    is_testing: bool
    port: int
    database: Path  # the file; for PostgreSQL, a name for the files that this server stores on this machine
    postgres: str | None


class Flags(Struct, frozen=True, kw_only=True):
    """What the command line or the environment sets, by the names of the settings file."""

    is_testing: bool = False
    config: Path | None = None
    server: Mapping[str, Any] = {}
    access: Mapping[str, Any] = {}
    pages: Mapping[str, Path] = {}


def resolve(flags: Flags) -> Settings:
    """Read the settings file and apply the flags. Raises SettingsInvalid, naming the setting that is wrong."""
    file = read_file(config_of(flags), is_required=flags.config is not None)
    server = replace(file.server, **flags.server)
    server = replace(server, base_path=normal_base_path(server.base_path))
    pages = {**file.pages, **flags.pages}
    _check_folders(server, pages, config_of(flags))
    _check_proxies(server.trusted_proxies)
    default_port = TESTING_PORT if flags.is_testing else PORT
    port = default_port if server.port is None else server.port
    postgres = server.database if server.database is not None and is_postgres(server.database) else None
    file = replace(file, server=server, access=replace(file.access, **flags.access), pages=pages)
    return Settings(
        **asdict(file),
        is_testing=flags.is_testing,
        port=port,
        database=_database(server, postgres, port, is_testing=flags.is_testing),
        postgres=postgres,
    )


def config_of(flags: Flags) -> Path:
    """The settings file, whether or not it is there."""
    return flags.config or default_config(is_testing=flags.is_testing)


def _database(server: ServerSettings, postgres: str | None, port: int, *, is_testing: bool) -> Path:
    default = default_database(is_testing=is_testing)
    if postgres is not None:
        # Several servers may run on one machine, each at its own port.
        return default.with_name(f"postgres-{port}.db").absolute()
    return (default if server.database is None else Path(server.database)).absolute()


def _check_folders(server: ServerSettings, pages: Mapping[str, Path], config: Path) -> None:
    folders = {f"pages.{name}": folder for name, folder in pages.items()} | {"server.web_path": server.web_path}
    for name, folder in folders.items():
        if folder is not None and not folder.is_dir():
            raise SettingsInvalid(
                f"the folder of {name} does not exist: {folder}",
                hint=f"create it, or name another one; {command_on(config, 'list')} shows where it is set",
                field=name,
            )


def _check_proxies(names: Sequence[str]) -> None:
    if not names:
        return
    from dayline.access.peers import UNIX, parse_network  # here, because most commands do not need it, and start faster

    for name in names:
        if name != UNIX:
            parse_network(name)


def read_file(path: Path, *, is_required: bool) -> SettingsFile:
    """The settings of a TOML file; the defaults if it does not exist and is not required. Raises SettingsInvalid."""
    return settings_from(read_values(path, is_required=is_required), path)


def read_values(path: Path, *, is_required: bool = False) -> dict[str, Any]:
    """The decoded TOML file, unchecked; empty if it does not exist and is not required. Raises SettingsInvalid."""
    text = _read(path)
    if is_required and text is None:
        create = command_on(path, "set", "server.port", str(PORT))
        raise SettingsInvalid(
            f"there is no settings file {path}", hint=f"leave out --config to use the defaults, or create it: {create}"
        )
    if not text:
        return {}
    import tomllib  # here, because most users have no such file, and commands start faster without it

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsInvalid(
            f"cannot read the settings file {path}: {error}", hint="correct this line in a text editor"
        ) from error


def _read(path: Path) -> str | None:
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SettingsInvalid(
            f"cannot read the settings file {path}: {error.strerror}",
            hint="give this user access to it, or choose another file with --config",
        ) from error
    except UnicodeDecodeError as error:
        raise SettingsInvalid(f"the settings file {path} is not UTF-8 text: {error}") from error


def settings_from(values: Mapping[str, Any], path: Path) -> SettingsFile:
    """The settings of a decoded file. Raises SettingsInvalid, naming the key."""
    try:
        file = parse_settings(values)
    except msgspec.ValidationError as error:
        fault = invalid(error, SettingsFile, values, subject="the file")
        raise SettingsInvalid(
            f"{path}: {fault.message.replace(' or null', '')}",
            hint=f"{command_on(path, 'list')} shows every setting",
            field=fault.field,
        ) from error
    database = file.server.database
    if database is None or is_postgres(database):
        return file
    return replace(file, server=replace(file.server, database=str(expanded(database))))


def install_command(library: str) -> str:
    """The command that installs a library next to Dayline, however it was installed."""
    with_pip = importlib.util.find_spec("pip") is not None
    python = shlex.quote(sys.executable)
    return (
        f"{python} -m pip install {shlex.quote(library)}"
        if with_pip
        else (f"uv pip install --python {python} {shlex.quote(library)}")
    )


def command_on(path: Path, *words: str) -> str:
    """A command of `dayline settings` about this file."""
    default = {default_config(is_testing=False): [], default_config(is_testing=True): ["--testing"]}
    return shlex.join(["dayline", "settings", *words, *default.get(path, ["--config", str(path)])])


def default_config(*, is_testing: bool) -> Path:
    name = "config-testing.toml" if is_testing else "config.toml"
    return Path(platformdirs.user_config_dir(_APP, appauthor=False)) / name


def default_database(*, is_testing: bool) -> Path:
    name = "dayline-testing.db" if is_testing else "dayline.db"
    return Path(platformdirs.user_data_dir(_APP, appauthor=False)) / name


def make_data_home(settings: Settings) -> None:
    """Create the default data folder and its parents, which may be missing for a new user.

    No folders are created for another path: a missing folder may be a disk that is not mounted.
    """
    usual = default_database(is_testing=settings.is_testing).absolute()
    try:
        if settings.postgres is not None:
            make_folders(usual.parent)  # for the log and the token file
        elif settings.database == usual:
            make_folders(settings.database.parent.parent)
    except OSError as error:
        raise StoreUnusable(
            f"cannot create the data folder {usual.parent}: {error.strerror}",
            hint="set HOME to a folder of yours, or choose another file with --database",
        ) from error


# `--read-database`: a standby of the PostgreSQL database, from which queries are read.
_FIELD = "server.read_database"


def check_read_database(settings: Settings) -> None:
    """Raise SettingsInvalid if it is not a PostgreSQL address, or the database is not on PostgreSQL."""
    if settings.server.read_database is None:
        return
    if not is_postgres(settings.server.read_database):
        raise SettingsInvalid("--read-database takes the address of a PostgreSQL server, postgresql://…", field=_FIELD)
    if settings.postgres is None:
        raise SettingsInvalid(
            "--read-database needs a database on PostgreSQL, and this one is a file",
            hint="choose a PostgreSQL database with --database, or leave out --read-database",
            field=_FIELD,
        )


_SECTION_LINE: Final = re.compile(r"\s*\[\s*([A-Za-z0-9_.\-]+)\s*\]\s*(#.*)?")


def change_setting(path: Path, name: str, value: Any) -> None:
    """Set a setting (`section.key`) in the file, or delete it if `value` is None. Comments and other lines stay.

    Raises Invalid if the value is invalid, or the file cannot be edited safely or written. It stays as it was then.
    """
    import tomllib  # here, because other commands start faster without it

    text = _read(path) or ""
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
        # On its own: others that are wrong can be corrected one by one.
        settings_from({} if value is None else {section: {key: value}}, path)
    except SettingsInvalid as error:
        raise Invalid(error.message.removeprefix(f"{path}: ")) from error
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
        match = pattern.fullmatch(lines[number])
        if match is not None:
            comment = match["comment"] or ""
            kept = [f"{key} = {_toml(value)}{comment}\n"] if value is not None else []
            return "".join([*lines[:number], *kept, *lines[number + 1 :]])
    while end > start and not lines[end - 1].strip():
        end -= 1  # before the blank lines that separate sections
    return "".join([*lines[:end], *new, *lines[end:]])


def _section_of(line: str) -> str | None:
    match = _SECTION_LINE.fullmatch(line.rstrip("\n"))
    return None if match is None else match[1]


def _toml(value: Any) -> str:
    """A value in TOML. JSON writes strings, numbers, booleans and lists of strings the same way."""
    return msgspec.json.encode(value).decode()
