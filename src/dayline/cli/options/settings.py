"""Settings from a TOML file, then environment variables, then flags; the later wins."""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec
import platformdirs
from msgspec import Meta, Struct

from dayline.access.origins import normal_base_path
from dayline.config.sections import BackupSettings, CheckSettings, Limits, QuerySettings, SpaceSettings, StreamSettings
from dayline.model.errors import Invalid
from dayline.storage.columns.months import SegmentPace
from dayline.storage.history.trash import TrashSettings
from dayline.storage.postgres.address import is_postgres

PORT: Final = 5600
TESTING_PORT: Final = 5666
LOG_LEVELS: Final = ("debug", "info", "warning", "error")
_APP: Final = "dayline"


def _key(description: str, *, default: str | None = None) -> Meta:
    """Describe a key for docs/reference/settings.md; `default` is the text to show if None means a looked-up value."""
    return Meta(description=description, extra=None if default is None else {"default": default})


class ServerSection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[server]`: where it listens, and where the data are."""

    host: Annotated[
        str | None, _key("address to listen on; any but loopback needs a key and TLS or a proxy", default="localhost")
    ] = None
    port: Annotated[int | None, _key("port to listen on", default=f"{PORT}; in testing mode {TESTING_PORT}")] = None
    database: Annotated[
        str | None,
        _key(
            "file that holds the data, or `postgresql://…`; `~` and variables are expanded",
            default="in the data folder",
        ),
    ] = None
    read_database: Annotated[
        str | None, _key("address of a PostgreSQL standby of it, from which queries are read", default="none")
    ] = None
    read_lag_s: Annotated[float, Meta(gt=0), _key("seconds that the standby may be behind before it is left alone")] = (
        5.0
    )
    log_level: Annotated[str | None, _key(f"how much is logged: {', '.join(LOG_LEVELS)}", default="info")] = None
    web_path: Annotated[str | None, _key("folder with a web UI to serve at `/`", default="Dayline's own page")] = None
    tls_cert: Annotated[
        str | None, _key("file with the certificate and its chain", default="off loopback, that of `dayline tls init`")
    ] = None
    tls_key: Annotated[str | None, _key("file with the certificate's private key", default="as `tls_cert`")] = None
    uds: Annotated[str | None, _key("path of a Unix socket to listen on besides", default="none")] = None
    uds_mode: Annotated[str, _key("who may use the Unix socket, as an octal file mode")] = "600"
    base_path: Annotated[str, _key("path under which a proxy shows the server, such as `/dayline`")] = ""
    trusted_proxies: Annotated[
        list[str], _key("addresses or networks of proxies whose `Forwarded` headers count; `unix` for the Unix socket")
    ] = []


class AccessSection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[access]`: names this server answers to, pages that may call it besides its own, and when a key is needed."""

    hosts: Annotated[list[str], _key("names in the `Host` header that mean this server, besides loopback")] = []
    origins: Annotated[
        list[str],
        _key("origins of pages that may call it, such as `http://localhost:8080`, and of extensions that may read"),
    ] = []
    origin_patterns: Annotated[list[str], _key("the same as regular expressions, each for a whole origin")] = []
    require_keys: Annotated[
        bool, _key("whether every call needs a key; always so off loopback and behind a trusted proxy")
    ] = False
    other_users: Annotated[
        Literal["allow", "refuse"] | None,
        _key(
            "whether to `allow` or `refuse` calls without a key from other users of this machine; root is always "
            "served. Refusing works on Linux",
            default="`refuse` if a login user runs the server; `allow` for a system user and in a container",
        ),
    ] = None
    require_envelope: Annotated[bool, _key("whether keys are taken in encrypted calls alone")] = False
    session_days: Annotated[int, Meta(ge=1), _key("days that a browser stays signed in")] = 30
    audit_days: Annotated[int, Meta(ge=1), _key("days that the audit is kept")] = 365
    failed_keys_a_minute: Annotated[
        int, Meta(ge=1), _key("wrong keys that an address may send in a minute before it has to wait")
    ] = 10
    envelope_skew_s: Annotated[
        int, Meta(ge=1), _key("seconds that the clock of a client with encrypted calls may differ")
    ] = 300


class LimitsSection(Limits, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[limits]`: how much a client may send at once, and how much one key may do that is not for everything."""


class QuerySection(QuerySettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[query]`: the processes that run queries, and what each query may take."""


class SegmentsSection(SegmentPace, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[segments]`: when closed months are packed, so that queries read them quickly."""


class BackupSection(BackupSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[backup]`: when backups are made, where they are, and which are kept."""


class TrashSection(TrashSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[trash]`: how long what was deleted or changed can be brought back."""


class CheckSection(CheckSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[check]`: when the file is looked through for damage, while recording goes on."""


class SpaceSection(SpaceSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[space]`: when old events are thinned, and when free room is given back to the system."""


class StreamSection(StreamSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[stream]`: those who hear at once of what changes."""


class SettingsFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole file. An unknown key is refused: a typo there should be told."""

    server: ServerSection = ServerSection()
    access: AccessSection = AccessSection()
    limits: LimitsSection = LimitsSection()
    query: QuerySection = QuerySection()
    segments: SegmentsSection = SegmentsSection()
    backup: BackupSection = BackupSection()
    trash: TrashSection = TrashSection()
    check: CheckSection = CheckSection()
    space: SpaceSection = SpaceSection()
    stream: StreamSection = StreamSection()
    pages: Annotated[dict[str, str], _key("folders to serve under `/pages/<name>/`, by name")] = {}


class Settings(Struct, frozen=True, kw_only=True):
    """What the server runs with, every choice made."""

    host: str
    port: int
    database: Path  # the file; on PostgreSQL a name for what this server keeps on this machine
    postgres: str | None
    read_database: str | None
    read_lag_s: float
    log_level: str
    is_testing: bool
    web_path: Path | None
    pages: Mapping[str, Path]
    tls_cert: Path | None
    tls_key: Path | None
    uds: Path | None
    uds_mode: int
    base_path: str  # as `access.base_path` wants it: empty, or /dayline
    trusted_proxies: tuple[str, ...]
    require_keys: bool
    access: AccessSection
    limits: Limits
    query: QuerySettings
    segments: SegmentPace
    backup: BackupSettings
    trash: TrashSettings
    check: CheckSettings
    space: SpaceSettings
    stream: StreamSettings


class Flags(Struct, frozen=True, kw_only=True):
    """What was given on the command line or in the environment; None where it was not."""

    is_testing: bool = False
    config: Path | None = None
    host: str | None = None
    port: int | None = None
    database: Path | str | None = None
    read_database: str | None = None
    log_level: str | None = None
    web_path: Path | None = None
    pages: Mapping[str, Path] = {}
    tls_cert: Path | None = None
    tls_key: Path | None = None
    uds: Path | None = None
    base_path: str | None = None
    trusted_proxies: Sequence[str] = ()
    require_keys: bool = False


def resolve(flags: Flags) -> Settings:
    """Read the file and put the flags over it. Raises Invalid, naming the place of what is wrong."""
    file = _file_of(flags)
    server = file.server
    return Settings(
        host=flags.host or server.host or "localhost",
        port=_port(flags, server),
        database=_database(flags, server),
        postgres=_postgres(flags, server),
        read_database=flags.read_database or server.read_database,
        read_lag_s=server.read_lag_s,
        log_level=_log_level(flags, server),
        is_testing=flags.is_testing,
        web_path=_web_path(flags, server),
        pages=_pages(flags, file),
        tls_cert=flags.tls_cert or _path(server.tls_cert),
        tls_key=flags.tls_key or _path(server.tls_key),
        uds=flags.uds or _path(server.uds),
        uds_mode=_mode(server.uds_mode),
        base_path=normal_base_path(server.base_path if flags.base_path is None else flags.base_path),
        trusted_proxies=_proxies(flags.trusted_proxies or server.trusted_proxies),
        require_keys=flags.require_keys or file.access.require_keys,
        access=file.access,
        limits=file.limits,
        query=file.query,
        segments=file.segments,
        backup=file.backup,
        trash=file.trash,
        check=file.check,
        space=file.space,
        stream=file.stream,
    )


def _file_of(flags: Flags) -> SettingsFile:
    return read_file(config_of(flags), is_required=flags.config is not None)


def config_of(flags: Flags) -> Path:
    """The settings file, whether or not it is there."""
    return flags.config or default_config(is_testing=flags.is_testing)


def _database(flags: Flags, server: ServerSection) -> Path:
    usual = default_database(is_testing=flags.is_testing)
    if _postgres(flags, server) is not None:
        # Several servers may run on one machine, each at its own port.
        return usual.with_name(f"postgres-{_port(flags, server)}.db").absolute()
    named = Path(flags.database) if flags.database is not None else _path(server.database)
    return (named or usual).absolute()


def _postgres(flags: Flags, server: ServerSection) -> str | None:
    named = server.database if flags.database is None else flags.database
    return named if isinstance(named, str) and is_postgres(named) else None


def _port(flags: Flags, server: ServerSection) -> int:
    usual = TESTING_PORT if flags.is_testing else PORT
    port = flags.port if flags.port is not None else server.port if server.port is not None else usual
    if not 0 <= port <= 65535:
        raise Invalid(f"port must lie between 0 and 65535, not at {port}", field="server.port")
    return port


def _log_level(flags: Flags, server: ServerSection) -> str:
    level = (flags.log_level or server.log_level or "info").lower()
    if level not in LOG_LEVELS:
        raise Invalid(f"log_level must be one of {', '.join(LOG_LEVELS)}, not {level!r}", field="server.log_level")
    return level


def _pages(flags: Flags, file: SettingsFile) -> Mapping[str, Path]:
    pages = {name: Path(folder).expanduser() for name, folder in file.pages.items()} | dict(flags.pages)
    for name, folder in pages.items():
        if not folder.is_dir():
            raise Invalid(f"the folder of the page {name!r} does not exist: {folder}", field=f"pages.{name}")
    return pages


def _web_path(flags: Flags, server: ServerSection) -> Path | None:
    web_path = flags.web_path or _path(server.web_path)
    if web_path is not None and not web_path.is_dir():
        raise Invalid(f"the folder of the web UI does not exist: {web_path}", field="server.web_path")
    return web_path


def _mode(text: str) -> int:
    if not re.fullmatch("[0-7]{3,4}", text):
        raise Invalid(f"uds_mode must be a file mode such as 600 or 660, not {text!r}", field="server.uds_mode")
    return int(text, 8)


def _proxies(names: Sequence[str]) -> tuple[str, ...]:
    if not names:
        return ()
    from dayline.access.peers import UNIX, parse_network  # here, because most commands need none, and start quicker

    for name in names:
        if name != UNIX:
            parse_network(name)
    return tuple(names)


def read_file(path: Path, *, is_required: bool) -> SettingsFile:
    """The settings of a TOML file; the defaults where there is none and none was asked for."""
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError as error:
        if not is_required:
            return SettingsFile()
        raise Invalid(f"there is no settings file {path}", hint="leave out --config for the defaults") from error
    except (OSError, UnicodeDecodeError) as error:
        raise Invalid(f"cannot read the settings file {path}: {error}") from error
    import tomllib  # here, because most people have no such file, and commands start quicker without

    try:
        return msgspec.convert(tomllib.loads(text), SettingsFile)
    except tomllib.TOMLDecodeError as error:
        raise Invalid(f"cannot read the settings file {path}: {error}") from error
    except msgspec.ValidationError as error:
        raise Invalid(f"{path}: {error}", hint="docs/reference/settings.md lists every key") from error


def default_config(*, is_testing: bool) -> Path:
    name = "config-testing.toml" if is_testing else "config.toml"
    return Path(platformdirs.user_config_dir(_APP, appauthor=False)) / name


def default_database(*, is_testing: bool) -> Path:
    name = "dayline-testing.db" if is_testing else "dayline.db"
    return Path(platformdirs.user_data_dir(_APP, appauthor=False)) / name


def _path(text: str | None) -> Path | None:
    return None if text is None else Path(os.path.expandvars(text)).expanduser()


# `--read-database`: a standby of the PostgreSQL database, from which queries are read.


_FIELD = "server.read_database"


def check_read_database(settings: Settings) -> None:
    """Raise Invalid where it names none, or there is nothing of which it could be a standby."""
    if settings.read_database is None:
        return
    if not is_postgres(settings.read_database):
        raise Invalid("--read-database takes the address of a PostgreSQL server, postgresql://…", field=_FIELD)
    if settings.postgres is None:
        raise Invalid(
            "--read-database is for a standby of a PostgreSQL database, and the data are in a file",
            hint="name the PostgreSQL database with --database, or leave out --read-database",
            field=_FIELD,
        )
