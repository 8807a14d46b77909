"""Options and environment variables of settings that have a flag, built from their declaration."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, TypeVar, get_args, get_origin, get_type_hints

import click
from msgspec import Meta, Struct

from dayline.cli.options.settings import Flags
from dayline.config.sections import AccessSettings, ServerSettings
from dayline.storage.postgres.address import is_postgres

Command = TypeVar("Command", bound=Callable[..., Any])

_SECTIONS: Final[Mapping[str, type[Struct]]] = {"server": ServerSettings, "access": AccessSettings}


class DatabaseLocation(click.ParamType[Path | str]):
    """A Path for a file, a string for an address: Path would remove one of its slashes."""

    name = "FILE | ADDRESS"
    _file: Final = click.Path(path_type=Path, dir_okay=False, readable=False)

    def convert(self, value: Path | str, param: click.Parameter | None, ctx: click.Context | None) -> Path | str:
        if isinstance(value, str) and is_postgres(value):
            return value
        path: Path = self._file.convert(value, param, ctx)
        return path


DATABASE: Final = DatabaseLocation()


class SettingFlag(Struct, frozen=True, kw_only=True):
    """A setting that the command line and the environment can set."""

    section: str
    name: str
    flag: str
    type: Any
    description: str
    default: str | None

    @property
    def variable(self) -> str:
        return f"DAYLINE_{self.name.upper()}"

    def option(self, command: Command) -> Command:
        """Add the option to a command. Its value is None, () or False if it is not given."""
        decorate = click.option(
            self.flag, self.name, envvar=self.variable, help=self._help(), **_option_type(self.name, self.type)
        )
        return decorate(command)

    def _help(self) -> str:
        text = f"{self.description[:1].upper()}{self.description[1:]}.".replace("`", "")
        return text if self.default in (None, "none") else f"{text} [default: {self.default}]".replace("`", "")


def setting_flags() -> list[SettingFlag]:
    """Every setting that has a flag, in the order of the settings file."""
    return [
        SettingFlag(
            section=section,
            name=name,
            flag=meta.extra["flag"],
            type=hint.__origin__,
            description=meta.description or "",
            default=meta.extra["default"] or _default_text(getattr(struct(), name)),
        )
        for section, struct in _SECTIONS.items()
        for name, hint in get_type_hints(struct, include_extras=True).items()
        for meta in hint.__metadata__
        if isinstance(meta, Meta) and meta.extra and meta.extra["flag"]
    ]


def with_setting_flags(command: Command) -> Command:
    """Add an option for every such setting."""
    for each in reversed(setting_flags()):
        command = each.option(command)
    return command


def database_option(command: Command) -> Command:
    """Add --database."""
    return next(each for each in setting_flags() if each.name == "database").option(command)


def testing_option(command: Command) -> Command:
    """Add --testing."""
    help_ = "Use the data and the port of testing mode."
    return click.option("--testing", is_flag=True, envvar="DAYLINE_TESTING", help=help_)(command)


def config_option(command: Command) -> Command:
    """Add --config."""
    decorate = click.option(
        "--config",
        type=click.Path(path_type=Path, dir_okay=False),
        envvar="DAYLINE_CONFIG",
        help="Settings file. [default: config.toml in the user's config folder]",
    )
    return decorate(command)


def flags_from(
    values: Mapping[str, Any], *, is_testing: object, config: object, pages: Mapping[str, Path] | None = None
) -> Flags:
    """The options that were given."""
    given = {name: value for name, value in values.items() if not (value is None or value is False or value == ())}
    if "database" in given:
        given["database"] = str(given["database"])
    return Flags(
        is_testing=bool(is_testing),
        config=config if isinstance(config, Path) else None,
        pages=pages or {},
        **{section: _of_section(struct, given) for section, struct in _SECTIONS.items()},
    )


def _of_section(struct: type[Struct], given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: given[name] for name in struct.__struct_fields__ if name in given}


def _option_type(name: str, hint: Any) -> dict[str, Any]:
    """The arguments of `click.option` for a type."""
    if name == "database":
        return {"type": DATABASE}
    if get_origin(hint) is Literal:
        return {"type": click.Choice(get_args(hint))}
    if get_origin(hint) is tuple:
        return {"multiple": True}
    if hint is bool:
        return {"is_flag": True}
    kinds: Sequence[Any] = get_args(hint) or (hint,)
    if Path in kinds:
        return {"type": click.Path(path_type=Path)}
    bounds = next((meta for kind in kinds for meta in getattr(kind, "__metadata__", ())), None)
    return {} if bounds is None else {"type": click.IntRange(bounds.ge, bounds.le)}


def _default_text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
