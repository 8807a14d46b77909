"""Generate docs/reference/settings.md: every key of the settings file, with its environment variable and flag."""

from collections.abc import Iterator
from typing import Any, Final, cast

import click
import msgspec
from msgspec import inspect

from dayline.cli.options.setting_flags import setting_flags
from dayline.cli.serve.serve import serve
from dayline.config.sections import SettingsFile
from scripts.markdown import Rows, assemble, filled, sentence, table


def settings_page() -> str:
    """Return the page."""
    sections = [(field.name, field.type) for field in struct_of(SettingsFile).fields]
    return assemble(
        "# Settings",
        filled(
            "Settings come from a TOML file, then environment variables, then flags; later ones override earlier ones. "
            "All settings are optional. An unknown key is an error. `GET /api/1/server` shows the values in use and "
            "where each comes from. In paths, `~` and environment variables are expanded."
        ),
        filled(
            "`dayline settings` lists the settings of the file, `dayline settings set server.port 5700` changes one "
            "and keeps comments, and `dayline settings unset server.port` restores the default. Restart the server "
            "afterwards."
        ),
        table(
            ("System", "Settings file", "Data folder"),
            [
                ("Linux", "`~/.config/dayline/config.toml`", "`~/.local/share/dayline`"),
                (
                    "macOS",
                    "`~/Library/Application Support/dayline/config.toml`",
                    "`~/Library/Application Support/dayline`",
                ),
                ("Windows", "`%LOCALAPPDATA%\\dayline\\config.toml`", "`%LOCALAPPDATA%\\dayline`"),
            ],
        ),
        "Testing mode (`--testing`) uses `config-testing.toml` and `dayline-testing.db` instead.",
        *(part for name, kind in sections for part in section_parts(name, kind)),
        "## Flags without a settings key",
        table(("Flag", "Variable", "Meaning"), lone_flags()),
        "## Example",
        f"```toml\n{EXAMPLE}```",
    )


# A test loads it as the server does.
EXAMPLE: Final = """\
[server]
port = 5700
database = "~/dayline/days.db"

[access]
origins = ["http://localhost:8080"]

[limits]
import_mib = 2000

[pages]
report = "~/dayline/report"
"""


def section_parts(name: str, kind: inspect.Type) -> Iterator[str]:
    yield f"## `[{name}]`"
    if isinstance(kind, inspect.StructType):
        yield sentence(str(kind.cls.__doc__))
        rows = [key_row(field, fallback=field.default) for field in kind.fields]
        yield table(("Key", "Type", "Default", "Variable", "Flag", "Meaning"), rows)
    else:
        yield sentence(described(kind)[0])
        yield "As a variable: `DAYLINE_CUSTOM_STATIC`. As a flag: `--custom-static`."


def key_row(field: inspect.Field, *, fallback: Any) -> tuple[str, ...]:
    description, default = described(field.type)
    shown = default or f"`{msgspec.json.encode([] if fallback is msgspec.NODEFAULT else fallback).decode()}`"
    return (f"`{field.name}`", toml_kind(field.type), shown, *flag_of(field.name), description)


def described(kind: inspect.Type) -> tuple[str, str | None]:
    """The description of a key, and the text of its default if that is determined at run time."""
    if not isinstance(kind, inspect.Metadata):
        return "", None
    schema = cast("dict[str, str]", kind.extra_json_schema or {})  # where msgspec stores a description
    extra = cast("dict[str, str]", kind.extra or {})  # set by the settings module
    return schema.get("description", ""), extra.get("default")


def toml_kind(kind: inspect.Type) -> str:
    match kind:
        case inspect.Metadata(type=inner):
            return toml_kind(inner)
        case inspect.UnionType(types=options):
            return " or ".join(toml_kind(option) for option in options if not isinstance(option, inspect.NoneType))
        case inspect.ListType() | inspect.VarTupleType():
            return "list of strings"
        case inspect.BoolType():
            return "boolean"
        case inspect.IntType():
            return "integer"
        case inspect.LiteralType(values=values):
            return " or ".join(f'`"{value}"`' for value in values)
        case inspect.FloatType():
            return "number"
        case _:
            return "string"


def flag_of(name: str) -> tuple[str, str]:
    """The environment variable and the flag that set the same thing; `none` if there are none."""
    found = next((each for each in setting_flags() if each.name == name), None)
    return ("none", "none") if found is None else (f"`{found.variable}`", f"`{found.flag}`")


def lone_flags() -> Rows:
    keys = {field.name for section in struct_of(SettingsFile).fields for field in fields_of(section.type)}
    names = {field.name for field in struct_of(SettingsFile).fields}
    return [
        (f"`{option.opts[0]}`", f"`{option.envvar}`", str(option.help))
        for option in serve.params
        if isinstance(option, click.Option) and option.name not in keys | names
    ]


def fields_of(kind: inspect.Type) -> tuple[inspect.Field, ...]:
    return kind.fields if isinstance(kind, inspect.StructType) else ()


def struct_of(kind: type[msgspec.Struct]) -> inspect.StructType:
    found = inspect.type_info(kind)
    assert isinstance(found, inspect.StructType)
    return found
