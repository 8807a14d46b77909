"""The settings file: one struct for each section, whose fields declare type, default, bounds, description and flag."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias, get_args

import msgspec
from msgspec import Meta, Struct

PORT: Final = 5600
TESTING_PORT: Final = 5666
_FEW_CORES: Final = 4
_MAX_WORKERS: Final = 4

LogLevel: TypeAlias = Literal["debug", "info", "warning", "error"]
LOG_LEVELS: Final[tuple[LogLevel, ...]] = get_args(LogLevel)


def setting(description: str, *, default: str | None = None, flag: str | None = None, **bounds: Any) -> Meta:
    """What docs/reference/settings.md and `dayline serve --help` say about a setting, and the bounds that are checked.

    `default` describes a default that is looked up. A setting with a `flag` can also be set by an environment variable.
    """
    return Meta(description=description, extra={"default": default, "flag": flag}, **bounds)


class ServerSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the server listens, and where it stores its data."""

    host: Annotated[
        str,
        setting(
            "address or name to listen on; 127.0.0.1 and ::1 mean both, a name means each of its addresses; "
            "any address other than loopback needs a key, and TLS or a proxy",
            flag="--host",
            min_length=1,
        ),
    ] = "localhost"
    port: Annotated[
        Annotated[int, Meta(ge=0, le=65535)] | None,
        setting("port to listen on", default=f"{PORT}; {TESTING_PORT} in testing mode", flag="--port"),
    ] = None
    database: Annotated[
        str | None,
        setting(
            "file that stores the data, or `postgresql://…`",
            default="`dayline.db` in the data folder",
            flag="--database",
        ),
    ] = None
    encrypt: Annotated[
        bool,
        setting("encrypt a new database, and refuse a plain one; see `dayline database encrypt`", flag="--encrypt"),
    ] = False
    encryption_key_file: Annotated[
        Path | None,
        setting(
            "file with the key of the database, which is then encrypted; `--encrypt` creates a missing file",
            default="the key is in the system's keyring",
            flag="--encryption-key-file",
        ),
    ] = None
    read_database: Annotated[
        str | None,
        setting("address of a PostgreSQL standby that queries read from", default="none", flag="--read-database"),
    ] = None
    max_read_lag_s: Annotated[
        float, setting("seconds that the standby may lag before queries use the primary database", gt=0)
    ] = 5.0
    log_level: Annotated[LogLevel, setting("minimum level of messages that are logged", flag="--log-level")] = "info"
    web_path: Annotated[
        Path | None,
        setting("folder with a web UI to serve at `/`", default="Dayline's own web UI", flag="--web-path"),
    ] = None
    tls_cert: Annotated[
        Path | None,
        setting(
            "file with the TLS certificate and its chain",
            default="the one `dayline tls init` created, unless only loopback is served",
            flag="--tls-cert",
        ),
    ] = None
    tls_key: Annotated[
        Path | None,
        setting("file with the private key of the certificate", default="as `tls_cert`", flag="--tls-key"),
    ] = None
    uds: Annotated[Path | None, setting("path of a Unix socket to listen on as well", default="none", flag="--uds")] = (
        None
    )
    uds_mode: Annotated[str, setting("octal file mode of the Unix socket: who may connect", pattern="^[0-7]{3,4}$")] = (
        "600"
    )
    base_path: Annotated[
        str, setting("path at which a reverse proxy serves Dayline, such as `/dayline`", flag="--base-path")
    ] = ""
    trusted_proxies: Annotated[
        tuple[str, ...],
        setting(
            "addresses or networks of proxies whose `Forwarded` headers are trusted; `unix` for the Unix socket",
            flag="--trusted-proxy",
        ),
    ] = ()


class AccessSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which hosts and origins are accepted, and when a key is required."""

    hosts: Annotated[list[str], setting("host names that the server answers to, in addition to those of loopback")] = []
    origins: Annotated[
        list[str],
        setting(
            "origins of web pages that may call the API, such as `http://localhost:8080`, and of browser extensions "
            "that may read"
        ),
    ] = []
    origin_patterns: Annotated[
        list[str], setting("the same as regular expressions, each of which must match a whole origin")
    ] = []
    require_keys: Annotated[
        bool,
        setting(
            "require a key on loopback, too; other addresses and trusted proxies always require one",
            flag="--require-keys",
        ),
    ] = False
    other_users: Annotated[
        Literal["allow", "refuse"] | None,
        setting(
            "`allow` or `refuse` requests without a key from other users of this machine; root is always allowed. "
            "`refuse` works on Linux",
            default="`refuse` if a login user runs the server; `allow` for a system user and in a container",
        ),
    ] = None
    require_envelope: Annotated[bool, setting("accept keys in encrypted requests only")] = False
    session_days: Annotated[int, setting("days that a browser stays signed in", ge=1)] = 30
    audit_days: Annotated[int, setting("days that the audit log is kept", ge=1)] = 365
    failed_keys_per_minute: Annotated[
        int, setting("wrong keys per minute after which an address has to wait", ge=1)
    ] = 10
    envelope_skew_s: Annotated[
        int, setting("seconds that the clock of a client may differ in encrypted requests", ge=1)
    ] = 300


class Limits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How much a client may send at once, and how much a key may do that does not have full access."""

    # A watcher sends at most one heartbeat per second, of about 300 bytes, into one or two buckets.
    key_requests_per_second: Annotated[
        int, setting("requests per second of a key, on average over 10 seconds", ge=1)
    ] = 1000
    key_mib_per_day: Annotated[int, setting("MiB that a key may send per day (UTC)", ge=1)] = 2048
    key_buckets: Annotated[int, setting("buckets that a key may create", ge=1)] = 300
    body_mib: Annotated[int, setting("maximum size of a request body in MiB, except for imports", ge=1)] = 32
    event_kib: Annotated[
        int, setting("maximum size of the data of an event in KiB, as JSON; archives are restored whole", ge=1)
    ] = 1024
    connections_per_address: Annotated[
        int, setting("open connections of an address that has not sent a key; four times as many on loopback", ge=1)
    ] = 256
    import_mib: Annotated[int, setting("maximum size of an import in MiB", ge=1)] = 1000
    sync_mib: Annotated[
        int, setting("MiB that the devices of a tenant may store here when they sync through this server", ge=1)
    ] = 4096

    @property
    def event_bytes(self) -> int:
        """The maximum size of the data of an event."""
        return self.event_kib << 10


class QuerySettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many query processes there are, and what a query may use."""

    workers: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        setting(
            "number of query processes; one more answers quick clients while all are busy",
            default=f"2 on up to {_FEW_CORES} cores, otherwise half of the cores, at most {_MAX_WORKERS}",
        ),
    ] = None
    seconds: Annotated[float, setting("time limit of a query in seconds, unless the query sets another", gt=0)] = 60.0
    max_seconds: Annotated[float, setting("highest time limit in seconds that a query may set", gt=0)] = 600.0
    memory_mib: Annotated[int, setting("memory limit of a query process in MiB", ge=256)] = 1536
    cache_mib: Annotated[int, setting("MiB of that for cached data", ge=0)] = 256
    result_mib: Annotated[int, setting("maximum size of a query result in MiB", ge=1)] = 256

    @property
    def processes(self) -> int:
        """How many processes there may be."""
        if self.workers is not None:
            return self.workers
        cores = os.cpu_count() or 1
        return 2 if cores <= _FEW_CORES else min(cores // 2, _MAX_WORKERS)


class BackupSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When backups are created, where they are stored, and how many are kept. The newest good one is never deleted."""

    enabled: Annotated[bool, setting("back up the database automatically when it has changed")] = True
    interval_hours: Annotated[float, setting("hours between two backups", gt=0)] = 24.0
    folder: Annotated[
        str | None,
        setting(
            "folder for the backups, ideally on another disk",
            default="next to the database",
        ),
    ] = None
    key_file: Annotated[
        str | None,
        setting(
            "file with the key that encrypts backups; `dayline backup create-key` creates one",
            default="the key of the database if that is encrypted, otherwise none",
        ),
    ] = None
    passphrase_file: Annotated[
        str | None,
        setting(
            "file with a passphrase, instead of a key; or set `DAYLINE_BACKUP_PASSPHRASE` to the passphrase",
            default="the key of the database if that is encrypted, otherwise none",
        ),
    ] = None
    keep_daily: Annotated[int, setting("number of days of which the last backup is kept", ge=0)] = 7
    keep_weekly: Annotated[int, setting("number of weeks of which the last backup is kept", ge=0)] = 4
    keep_monthly: Annotated[int, setting("number of months of which the last backup is kept", ge=0)] = 12
    max_mib: Annotated[
        int, setting("total size of all backups in MiB, above which the oldest are deleted; 0 for no limit", ge=0)
    ] = 0
    upgrade_without_backup: Annotated[
        bool, setting("upgrade an older database even if it cannot be backed up first")
    ] = False


class TrashSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How long deleted and changed data can be restored."""

    days: Annotated[int, setting("days that deleted or changed data can be restored; 0 disables the trash", ge=0)] = 30


class CheckSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How often the database file is checked for damage. Checks run in a process of low priority."""

    full_interval_days: Annotated[
        float, setting("days between two full checks, which also compare indexes with their tables", gt=0)
    ] = 7.0


class SpaceSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Disk space. Which old events are downsampled is set with `dayline space retention`."""

    compact: Annotated[bool, setting("return free space of the database file to the system automatically")] = True


class StreamSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Clients that receive changes live, from `GET /api/1/stream`."""

    max_listeners: Annotated[int, setting("streams that may be open at once", ge=0)] = 64


class WatchSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Recording of this computer: the active window, and when you are away. Works on Linux; see docs/start/watch.md."""

    enabled: Annotated[bool, setting("record this computer while the server runs, as `dayline watch` does")] = False
    titles: Annotated[bool, setting("record window titles; otherwise only the names of programs")] = True
    away_after_s: Annotated[float, setting("seconds without input after which you count as away", ge=10)] = 180.0


class SettingsFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole file. An unknown key is an error, so that a typo is noticed."""

    server: ServerSettings = ServerSettings()
    access: AccessSettings = AccessSettings()
    limits: Limits = Limits()
    query: QuerySettings = QuerySettings()
    backup: BackupSettings = BackupSettings()
    trash: TrashSettings = TrashSettings()
    check: CheckSettings = CheckSettings()
    space: SpaceSettings = SpaceSettings()
    stream: StreamSettings = StreamSettings()
    watch: WatchSettings = WatchSettings()
    pages: Annotated[dict[str, Path], setting("folders to serve at `/pages/<name>/`, by name")] = {}


def parse_settings(values: Mapping[str, object]) -> SettingsFile:
    """The settings of a decoded TOML file. Raises msgspec.ValidationError."""
    return msgspec.convert(values, SettingsFile, dec_hook=_path)


def _path(_type: type, text: object) -> Path:
    if not isinstance(text, str):
        raise ValueError("Expected `str`")
    return expanded(text)


def expanded(path: str) -> Path:
    """The path with `~` and environment variables expanded."""
    return Path(os.path.expandvars(path)).expanduser()
