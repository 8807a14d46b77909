"""How a server was started: its settings and their sources, and its device."""

import tomllib
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import click
import msgspec
from click.core import ParameterSource
from msgspec import Struct

from dayline.cli.options.options import shown_address, shown_database
from dayline.cli.options.setting_flags import setting_flags
from dayline.cli.options.settings import Settings
from dayline.cli.options.time_zone import machine_zone
from dayline.config.data_folder import DataFile, data_file
from dayline.config.facts import ServerFacts, ServerSetting, SettingSource
from dayline.config.sections import SettingsFile
from dayline.model.time import now_us
from dayline.runtime.files import atomic_write
from dayline.storage.disk_faults import file_error

_SOURCES: Final[Mapping[ParameterSource, SettingSource]] = {
    ParameterSource.COMMANDLINE: "command line",
    ParameterSource.ENVIRONMENT: "environment",
}
_SECTIONS: Final = [field for field in SettingsFile.__struct_fields__ if field != "pages"]


class Start(Struct, frozen=True, kw_only=True):
    """The settings given by flags and environment variables, and the path of the settings file."""

    given: Mapping[str, SettingSource]
    config: Path


def server_facts(settings: Settings, start: Start, *, address: str) -> ServerFacts:
    """The facts that the server reports about itself."""
    return ServerFacts(
        address=address,
        database=shown_database(settings),
        started=now_us(),
        time_zone=machine_zone() or "UTC",
        log_file=str(data_file(settings.database, DataFile.LOG)),
        settings_file=str(start.config.absolute()),
        settings=server_settings(settings, start),
    )


def given_settings(context: click.Context) -> dict[str, SettingSource]:
    """The settings given by flags and environment variables, by their names in the settings file."""
    given: dict[str, SettingSource] = {}
    names = {each.name: f"{each.section}.{each.name}" for each in setting_flags()} | {"pages": "pages"}
    for parameter, name in names.items():
        source = _SOURCES.get(context.get_parameter_source(parameter) or ParameterSource.DEFAULT)
        if source is not None:
            given[name] = source
    return given


def server_settings(settings: Settings, start: Start) -> tuple[ServerSetting, ...]:
    """Every setting with its value and source. Passwords are removed; all other secrets are in files."""
    written, given = _written(start.config), start.given
    listed = [
        ServerSetting(
            name=f"{section}.{name}",
            value=_value(settings, section, name),
            source=given.get(f"{section}.{name}") or ("file" if name in written.get(section, {}) else "default"),
        )
        for section in _SECTIONS
        for name in getattr(settings, section).__struct_fields__
    ]
    pages = {name: str(folder) for name, folder in settings.pages.items()}
    source = given.get("pages") or ("file" if "pages" in written else "default")
    return (*listed, ServerSetting(name="pages", value=pages, source=source))


def _written(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return {}  # it was readable before, so there is none


def _value(settings: Settings, section: str, name: str) -> Any:
    value = getattr(getattr(settings, section), name)
    if section == "server" and name in ("port", "database"):
        value = getattr(settings, name)
    elif name == "read_database" and value is not None:
        value = shown_address(value)
    return msgspec.to_builtins(value, enc_hook=str)


def device_id(database: Path) -> str:
    """The id of this device; created and stored on the first call."""
    path = data_file(database, DataFile.DEVICE_ID)
    try:
        return str(uuid.UUID(path.read_text("ascii").strip()))
    except (FileNotFoundError, ValueError):
        made = str(uuid.uuid4())
        try:
            with atomic_write(path) as file:
                file.write(f"{made}\n".encode("ascii"))
        except OSError as error:
            raise file_error("the id of this device cannot be stored", error, path) from error
        return made
    except OSError as error:
        raise file_error("the id of this device cannot be read", error, path) from error
