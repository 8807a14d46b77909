"""The output of commands on pages of the documentation, read from them and written into them.

python -m tests.project.docs.page_output     runs the commands and writes their output again
"""

import re
import shlex
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.support.processes.terminal import shown

DOCS: Final = Path(__file__).parents[3] / "docs"
# In this order, on one database: the last one changes it.
PAGES: Final = tuple(DOCS / "guides" / f"{name}.md" for name in ("terminal", "buckets", "space", "undo"))
_SCREEN: Final = re.compile(r"^```text\n\$ dayline (?P<command>.*)\n(?P<screen>(?:.*\n)*?)```$", re.MULTILINE)
_TOOK: Final = re.compile(r" +[0-9,]+ ms$", re.MULTILINE)
_NOW: Final = re.compile(r"20[0-9]{2}-[0-9]{2}-[0-9]{2}(?: [0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?")


def screens(text: str) -> Iterator[tuple[str, str]]:
    """Every command with the screen that is shown for it, in order."""
    for found in _SCREEN.finditer(text):
        yield found["command"], found["screen"]


def printed(database: Path, command: str) -> str:
    """What a command prints in a terminal of 80 columns without colors."""
    return shown(database, *shlex.split(command), NO_COLOR="1").out


def without_times(command: str, screen: str) -> str:
    """The same without what is another each time: how long it took, and when a change was made."""
    screen = _TOOK.sub("", screen)
    return _NOW.sub("TIME", screen) if command.startswith("trash") else screen


def make_demo(database: Path) -> None:
    """The data that the pages are about."""
    made = shown(database, *["demo", "--seed", "7", "--days", "30", "--end", "2026-03-31"], "--database", str(database))
    assert made.code == 0, made.out


def _write() -> None:
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "demo.db"
        make_demo(database)
        for page in PAGES:
            page.write_text(
                _SCREEN.sub(lambda found: _block(database, found["command"]), page.read_text("utf-8")), "utf-8"
            )


def _block(database: Path, command: str) -> str:
    return f"```text\n$ dayline {command}\n{printed(database, command)}```"


if __name__ == "__main__":
    _write()
