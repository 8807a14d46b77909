"""`dayline completion`: the script with which a shell completes commands, options and bucket ids."""

import os
from pathlib import Path
from typing import Final

import click

from dayline.model.errors import Invalid

EXAMPLES = """\b
Examples:
  eval "$(dayline completion bash)"       for this session
  dayline completion --install            for the shell in $SHELL
  dayline completion zsh --install
  dayline completion fish --install
"""
NAMES: Final = ("bash", "zsh", "fish")
_NOTES: Final = {
    "bash": "Needs the package bash-completion; without it, add to ~/.bashrc: source {path}",
    "zsh": "Add to ~/.zshrc before compinit, if missing: fpath=({folder} $fpath)",
    "fish": "Fish loads it automatically.",
}


@click.command(epilog=EXAMPLES)
@click.argument("shell", metavar="[SHELL]", required=False, type=click.Choice(NAMES))
@click.option("--install", "is_installed", is_flag=True, help="Install it for the shell.")
@click.pass_context
def completion(context: click.Context, shell: str | None, is_installed: bool) -> None:
    """Print a shell completion script.

    SHELL defaults to $SHELL.
    """
    chosen = shell or usual_shell()
    script = script_of(context.find_root().command, chosen)
    if not is_installed:
        click.echo(script, nl=False)
        return
    # Here, because only --install needs it.
    from dayline.cli.output_files import keep_copy, read_if_there, write_whole

    path = completion_file(chosen)
    there = read_if_there(path)
    if there not in (None, script.encode()):
        click.echo(f"Copied the previous file to {keep_copy(path)}.", err=True)
    write_whole(path, script.encode())
    click.echo(f"Wrote {path}. New {chosen} sessions use it.", err=True)
    click.echo(_NOTES[chosen].format(path=path, folder=path.parent), err=True)


def usual_shell() -> str:
    """The shell of the user."""
    name = Path(os.environ.get("SHELL", "")).name
    if name not in NAMES:
        raise Invalid(
            f"there is no completion for the shell {name!r}" if name else "the shell is unknown: $SHELL is not set",
            hint=f"choose one of {', '.join(NAMES)}",
        )
    return name


def script_of(command: click.Command, shell: str) -> str:
    """The completion script of a shell."""
    from dayline.cli.options.shells import SHELLS, VARIABLE  # here, because only this command needs it

    return SHELLS[shell](command, {}, "dayline", VARIABLE).source()


def completion_file(shell: str) -> Path:
    """The file in which the shell looks for the completion."""
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    if shell == "bash":
        folder = os.environ.get("BASH_COMPLETION_USER_DIR")
        return (Path(folder) if folder else data / "bash-completion") / "completions" / "dayline"
    if shell == "zsh":
        return data / "zsh" / "site-functions" / "_dayline"
    config = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return config / "fish" / "completions" / "dayline.fish"
