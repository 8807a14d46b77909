"""What `--database` takes: the name of a file, or the address of a PostgreSQL database."""

from pathlib import Path
from typing import Final

import click

from dayline.storage.postgres.address import is_postgres


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
