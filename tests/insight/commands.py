"""Commands run in this process on the database of a server."""

from pathlib import Path
from typing import Any

import msgspec
from click.testing import CliRunner, Result

from dayline.cli.main import commands


def run(database: Path, *arguments: str) -> Result:
    return CliRunner().invoke(commands, [*arguments, "--database", str(database)])


def answered(database: Path, *arguments: str) -> Any:
    """What a command prints for programs."""
    result = run(database, *arguments, "--json")
    assert result.exit_code == 0, result.exception
    return msgspec.json.decode(result.stdout)
