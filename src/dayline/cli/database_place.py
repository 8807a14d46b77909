"""What `--database` takes, the name of a file or the address of a PostgreSQL database, and how it is shown again."""

from pathlib import Path
from typing import Final

import click

from dayline.cli.settings import Settings, default_database
from dayline.storage.postgres.address import is_postgres, without_password


class DatabasePlace(click.ParamType[Path | str]):
    """A Path for a file, a text for an address: a path would lose one of its slashes."""

    name = "FILE | ADDRESS"
    _file: Final = click.Path(path_type=Path, dir_okay=False, readable=False)

    def convert(self, value: Path | str, param: click.Parameter | None, ctx: click.Context | None) -> Path | str:
        if isinstance(value, str) and is_postgres(value):
            return value
        found: Path = self._file.convert(value, param, ctx)
        return found


DATABASE: Final = DatabasePlace()


def shown_database(settings: Settings) -> str:
    """The database in messages: a path, or an address without its password."""
    return str(settings.database) if settings.postgres is None else shown_address(settings.postgres)


def shown_address(address: str) -> str:
    from dayline.storage.postgres.connection import shown  # here, because it is an extra

    return shown(address)


def database_arguments(settings: Settings) -> list[str]:
    """What names the same database on the command line, without a password. Nothing for the default database."""
    mode = ["--testing"] if settings.is_testing else []
    if settings.postgres is not None:
        return [*mode, "--database", without_password(settings.postgres)]
    is_default = settings.database == default_database(is_testing=settings.is_testing).absolute()
    return mode if is_default else [*mode, "--database", str(settings.database)]
