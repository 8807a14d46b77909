"""The output of commands that pages show: how it is compared, and how it is written.

python -m tests.project.docs.pages.page_output [PAGE.md…]     runs the commands, and writes their output into the pages
"""

import re
import sys
import tempfile
from pathlib import Path
from typing import Final

from tests.project.docs.pages.kinds import reason_not_to_compare, reason_not_to_run
from tests.project.docs.pages.steps import Step, pages, steps
from tests.project.docs.pages.walk import Walk
from tests.support.processes.terminal import shown

_TOOK: Final = re.compile(r" +[0-9,]+ ms$", re.MULTILINE)
_NOW: Final = re.compile(r"20[0-9]{2}-[0-9]{2}-[0-9]{2}(?: [0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?")
_OMITTED: Final = "…"  # this line is any number of lines
_BARS: Final = re.compile(r"[▁-▏░|]+")
# Ids of keys and sessions, numbers, times, paths.
_VALUE: Final = re.compile(r"\b[a-z2-7]{8}\b(?=  )|\S*[0-9]\S*|/\S+/")


def make_demo(database: Path) -> None:
    """The data that the pages are about."""
    made = shown(database, *["demo", "--seed", "7", "--days", "30", "--end", "2026-03-31"], "--database", str(database))
    assert made.code == 0, made.out


def shape(step: Step, output: str) -> list[str]:
    """What must be equal of an output: all but when it was and how long it took, or else words and columns."""
    if step.is_exact:
        output = _TOOK.sub("", output)
        return (_NOW.sub("TIME", output) if step.command.startswith("dayline trash") else output).splitlines()
    lines = (_VALUE.sub("#", _BARS.sub("", line)) for line in output.splitlines())
    return [" ".join(line.split()) for line in lines if line.strip()]


def is_shown(step: Step, output: str) -> bool:
    """Whether a page shows the output of a command."""
    assert step.output is not None
    remaining = shape(step, output)
    if step.is_exact:
        return remaining == shape(step, step.output)
    for part in "\n".join(shape(step, step.output)).split(_OMITTED):
        lines = [line for line in part.splitlines() if line]
        position = next((at for at in range(len(remaining) + 1) if remaining[at : at + len(lines)] == lines), None)
        if position is None:
            return False
        remaining = remaining[position + len(lines) :]
    return True


def _write(names: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        demo = Path(folder) / "demo.db"
        make_demo(demo)
        for page in pages():
            if not names or page.name in names:
                home = Path(folder) / page.stem
                home.mkdir()
                _write_page(page, Walk(page, home, demo))


def _write_page(page: Path, walk: Walk) -> None:
    text = page.read_text("utf-8")
    parts, position = list[str](), 0
    with walk:
        for step in steps(page):
            if reason_not_to_run(step.command):
                continue
            done = walk.take(step)
            if done.code:
                sys.stderr.write(f"{page.name}: {step.command} exits with {done.code}\n{done.output}\n")
            if step.output is not None and not reason_not_to_compare(step.command) and _OMITTED not in step.output:
                parts += [text[position : step.start], f"{done.output.strip(chr(10))}\n"]
                position = step.end
    page.write_text("".join([*parts, text[position:]]), "utf-8")


if __name__ == "__main__":
    _write(sys.argv[1:])
