"""`dayline keys install-local`: the key for the newer Python clients of this user, where they look for it."""

import shutil
import tomllib
from pathlib import Path

import click
import platformdirs

from dayline.cli.options import on_database
from dayline.cli.settings import Settings
from dayline.cli.written_file import opened_for_writing
from dayline.client.key_file import read_key_file
from dayline.model.errors import Invalid
from dayline.model.keys import key_id_of

EXAMPLES = """\b
Examples:
  dayline keys create --name local-watchers --scope append --output local.key
  dayline keys install-local --key-file local.key
"""


@click.command("install-local", epilog=EXAMPLES)
@click.option(
    "--key-file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    required=True,
    help="File that holds the key.",
)
@on_database
def install_local(settings: Settings, key_file: Path) -> None:
    """Write the config file in which newer Python clients look for a key.

    They read it for servers on loopback only, and only where its port is the one that they call. A file that is there
    already is kept as a copy beside it.
    """
    key = read_key_file(key_file)
    if key_id_of(key) is None:
        raise Invalid(f"{key_file} does not hold a key", hint="dayline keys create --output FILE writes one")
    path = client_config(is_testing=settings.is_testing)
    copy = _kept_copy(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = f'address = "127.0.0.1"\nport = {settings.port}\n\n[auth]\napi_key = "{key}"\n'
    tomllib.loads(text)
    with opened_for_writing(path) as file:
        file.write(text.encode())
    if copy is not None:
        click.echo(f"The file that was there is now {copy}.", err=True)
    click.echo(f"Python clients of this user now find the key in {path} when they call port {settings.port}.", err=True)


def client_config(*, is_testing: bool) -> Path:
    """Where the clients look, as the Rust server has it."""
    name = "config-testing.toml" if is_testing else "config.toml"
    return Path(platformdirs.user_config_dir("activitywatch", appauthor=False)) / "aw-server-rust" / name


def _kept_copy(path: Path) -> Path | None:
    if not path.exists():
        return None
    number = 1
    while (copy := path.with_name(f"{path.name}.before-dayline-{number}")).exists():
        number += 1
    shutil.copy2(path, copy)
    return copy
