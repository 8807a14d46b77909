"""What the server reports about how it was started."""

from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta, Struct

from dayline.model.time import Microseconds

SettingSource: TypeAlias = Literal["default", "file", "environment", "command line"]


class ServerSetting(Struct, frozen=True, kw_only=True):
    """A setting that the server was started with: it is changed where it came from, and by a new start."""

    name: Annotated[str, Meta(description="as in the settings file, with its section", examples=["server.port"])]
    value: Any
    source: SettingSource


class ServerFacts(Struct, frozen=True, kw_only=True):
    """How the server is reached on its own machine, where its files are, and what it was started with."""

    address: str
    database: str
    started: Microseconds
    time_zone: str = "UTC"
    log_file: str | None = None
    settings_file: str | None = None
    settings: tuple[ServerSetting, ...] = ()
