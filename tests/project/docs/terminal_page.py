"""The screens of docs/guides/terminal.md, read from it and written into it.

python -m tests.project.docs.terminal_page     writes them again, when a screen was changed on purpose
"""

import re
import shlex
import tempfile
from pathlib import Path
from typing import Final

from tests.support.processes.terminal import shown

PAGE: Final = Path(__file__).parents[3] / "docs" / "guides" / "terminal.md"
_SCREEN: Final = re.compile(r"^```text\n\$ dayline (?P<command>.*)\n(?P<screen>(?:.*\n)*?)```$", re.MULTILINE)
_TOOK: Final = re.compile(r" +[0-9,]+ ms$", re.MULTILINE)


def screens(text: str) -> dict[str, str]:
    """Every screen by the command that is typed for it."""
    return {found["command"]: found["screen"] for found in _SCREEN.finditer(text)}


def printed(database: Path, command: str) -> str:
    """What a command prints in a terminal of 80 columns without colors."""
    return shown(database, *shlex.split(command), NO_COLOR="1").out


def without_times(screen: str) -> str:
    """The same without what is another each time: how long it took."""
    return _TOOK.sub("", screen)


def make_demo(database: Path) -> None:
    """The data that the page is about."""
    made = shown(database, *["demo", "--seed", "7", "--days", "30", "--end", "2026-03-31"], "--database", str(database))
    assert made.code == 0, made.out


def _write() -> None:
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "demo.db"
        make_demo(database)
        text = _SCREEN.sub(
            lambda found: f"```text\n$ dayline {found['command']}\n{printed(database, found['command'])}```",
            PAGE.read_text("utf-8"),
        )
    PAGE.write_text(text, "utf-8")


if __name__ == "__main__":
    _write()
