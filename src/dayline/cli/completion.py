"""`dayline completion`: what makes a shell complete commands, options and bucket ids."""

import os
from pathlib import Path
from typing import Final

import click

from dayline.model.errors import Invalid

EXAMPLES = """\b
Examples:
  eval "$(dayline completion bash)"       for this shell
  dayline completion --install            for every shell of the kind that $SHELL is
  dayline completion zsh --install
  dayline completion fish --install
"""
SHELLS: Final = ("bash", "zsh", "fish")
_VARIABLE: Final = "_DAYLINE_COMPLETE"  # by which the script asks this program
_TOLD: Final = {
    "bash": "Bash finds it there with the package bash-completion; without it add to ~/.bashrc: source {path}",
    "zsh": "Add to ~/.zshrc before compinit, if it is not there: fpath=({folder} $fpath)",
    "fish": "Fish finds it there.",
}


@click.command(epilog=EXAMPLES)
@click.argument("shell", required=False, type=click.Choice(SHELLS))
@click.option("--install", "is_installed", is_flag=True, help="Write it to where the shell looks for it.")
@click.pass_context
def completion(context: click.Context, shell: str | None, is_installed: bool) -> None:
    """Print the script that makes a SHELL complete this command; the one of $SHELL where none is named."""
    chosen = shell or usual_shell()
    script = script_of(context.find_root().command, chosen)
    if not is_installed:
        click.echo(script, nl=False)
        return
    # Here, because it takes its time, and the script alone needs none of it.
    from dayline.cli.written_file import keep_copy, read_if_there, write_whole

    path = place_of(chosen)
    there = read_if_there(path)
    if there not in (None, script.encode()):
        click.echo(f"The file that was there is now {keep_copy(path)}.", err=True)
    write_whole(path, script.encode())
    click.echo(f"{path} is written. It counts for every {chosen} that is started from now on.", err=True)
    click.echo(_TOLD[chosen].format(path=path, folder=path.parent), err=True)


def usual_shell() -> str:
    """The shell of the user."""
    name = Path(os.environ.get("SHELL", "")).name
    if name not in SHELLS:
        raise Invalid(
            f"no completion is known for the shell {name!r}" if name else "which shell is not known: $SHELL is not set",
            hint=f"name one of {', '.join(SHELLS)}",
        )
    return name


def script_of(command: click.Command, shell: str) -> str:
    """The script for a shell, as the library of our command line has it."""
    # Here, because only this command needs it.
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None  # one of those above
    return kind(command, {}, "dayline", _VARIABLE).source()


def place_of(shell: str) -> Path:
    """Where the shell looks for completions of a user."""
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    if shell == "bash":
        folder = os.environ.get("BASH_COMPLETION_USER_DIR")
        return (Path(folder) if folder else data / "bash-completion") / "completions" / "dayline"
    if shell == "zsh":
        return data / "zsh" / "site-functions" / "_dayline"
    config = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return config / "fish" / "completions" / "dayline.fish"
