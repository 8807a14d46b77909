"""Settings: from a TOML file, then environment variables, then flags; the later wins."""

import ipaddress
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final

import msgspec
import platformdirs
from msgspec import Meta, Struct

from dayline.api.call import Limits
from dayline.model.errors import Invalid
from dayline.query.settings import QuerySettings
from dayline.storage.sqlite.segment_pace import SegmentPace

PORT: Final = 5600
TESTING_PORT: Final = 5666
LOG_LEVELS: Final = ("debug", "info", "warning", "error")
_APP: Final = "dayline"


def _key(description: str, *, default: str | None = None) -> Meta:
    """What docs/settings.md says of a key; `default` where the file's own, None, means that something is looked up."""
    return Meta(description=description, extra=None if default is None else {"default": default})


class ServerSection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[server]`: where it listens, and where the data are."""

    host: Annotated[str | None, _key("address to listen on: localhost, 127.0.0.1 or ::1", default="localhost")] = None
    port: Annotated[int | None, _key("port to listen on", default=f"{PORT}; in testing mode {TESTING_PORT}")] = None
    database: Annotated[
        str | None, _key("file that holds the data; `~` and variables are expanded", default="in the data folder")
    ] = None
    log_level: Annotated[str | None, _key(f"how much is logged: {', '.join(LOG_LEVELS)}", default="info")] = None
    web_path: Annotated[str | None, _key("folder with a web UI to serve at `/`", default="Dayline's own page")] = None


class AccessSection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[access]`: names this server answers to, and pages that may call it, besides its own."""

    hosts: Annotated[list[str], _key("names in the `Host` header that mean this server, besides loopback")] = []
    origins: Annotated[list[str], _key("origins of pages that may call it, such as `http://localhost:8080`")] = []
    origin_patterns: Annotated[list[str], _key("the same as regular expressions, each for a whole origin")] = []


class LimitsSection(Limits, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[limits]`: how much a client may send at once."""


class QuerySection(QuerySettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[query]`: the processes that run queries, and what each query may take."""


class SegmentsSection(SegmentPace, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[segments]`: when closed months are packed, so that queries read them quickly."""


class SettingsFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole file. An unknown key is refused: a typo there should be told."""

    server: ServerSection = ServerSection()
    access: AccessSection = AccessSection()
    limits: LimitsSection = LimitsSection()
    query: QuerySection = QuerySection()
    segments: SegmentsSection = SegmentsSection()
    pages: Annotated[dict[str, str], _key("folders to serve under `/pages/<name>/`, by name")] = {}


class Settings(Struct, frozen=True, kw_only=True):
    """What the server runs with, every choice made."""

    host: str
    port: int
    database: Path
    log_level: str
    is_testing: bool
    web_path: Path | None
    pages: Mapping[str, Path]
    access: AccessSection
    limits: Limits
    query: QuerySettings
    segments: SegmentPace


class Flags(Struct, frozen=True, kw_only=True):
    """What was given on the command line or in the environment; None where it was not."""

    is_testing: bool = False
    config: Path | None = None
    host: str | None = None
    port: int | None = None
    database: Path | None = None
    log_level: str | None = None
    web_path: Path | None = None
    pages: Mapping[str, Path] = {}


def resolve(flags: Flags) -> Settings:
    """Read the file and put the flags over it. Raises Invalid, naming the place of what is wrong."""
    file = read_file(flags.config or default_config(is_testing=flags.is_testing), is_required=flags.config is not None)
    host = flags.host or file.server.host or "localhost"
    check_loopback(host)
    database = flags.database or _path(file.server.database) or default_database(is_testing=flags.is_testing)
    default_port = TESTING_PORT if flags.is_testing else PORT
    port = flags.port if flags.port is not None else file.server.port if file.server.port is not None else default_port
    log_level = (flags.log_level or file.server.log_level or "info").lower()
    if log_level not in LOG_LEVELS:
        raise Invalid(f"log_level must be one of {', '.join(LOG_LEVELS)}, not {log_level!r}", field="server.log_level")
    if not 0 <= port <= 65535:
        raise Invalid(f"port must lie between 0 and 65535, not at {port}", field="server.port")
    pages = {name: Path(folder).expanduser() for name, folder in file.pages.items()} | dict(flags.pages)
    for name, folder in pages.items():
        if not folder.is_dir():
            raise Invalid(f"the folder of the page {name!r} does not exist: {folder}", field=f"pages.{name}")
    web_path = flags.web_path or _path(file.server.web_path)
    if web_path is not None and not web_path.is_dir():
        raise Invalid(f"the folder of the web UI does not exist: {web_path}", field="server.web_path")
    return Settings(
        host=host,
        port=port,
        database=database.absolute(),
        log_level=log_level,
        is_testing=flags.is_testing,
        web_path=web_path,
        pages=pages,
        access=file.access,
        limits=file.limits,
        query=file.query,
        segments=file.segments,
    )


def read_file(path: Path, *, is_required: bool) -> SettingsFile:
    """The settings of a TOML file; the defaults where there is none and none was asked for."""
    try:
        return msgspec.convert(tomllib.loads(path.read_text("utf-8")), SettingsFile)
    except FileNotFoundError as error:
        if not is_required:
            return SettingsFile()
        raise Invalid(f"there is no settings file {path}", hint="leave out --config for the defaults") from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise Invalid(f"cannot read the settings file {path}: {error}") from error
    except msgspec.ValidationError as error:
        raise Invalid(f"{path}: {error}", hint="docs/settings.md lists every key") from error


def check_loopback(host: str) -> None:
    """Raise Invalid unless `host` can be reached from this machine alone."""
    try:
        is_loopback = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_loopback = False
    if not is_loopback:
        raise Invalid(
            f"refusing to listen on {host}: there are no keys yet, so everybody on the network could read your data",
            hint="use localhost, 127.0.0.1 or ::1",
            field="server.host",
        )


def default_config(*, is_testing: bool) -> Path:
    name = "config-testing.toml" if is_testing else "config.toml"
    return Path(platformdirs.user_config_dir(_APP, appauthor=False)) / name


def default_database(*, is_testing: bool) -> Path:
    name = "dayline-testing.db" if is_testing else "dayline.db"
    return Path(platformdirs.user_data_dir(_APP, appauthor=False)) / name


def _path(text: str | None) -> Path | None:
    return None if text is None else Path(os.path.expandvars(text)).expanduser()
