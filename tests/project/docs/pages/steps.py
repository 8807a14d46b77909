"""The commands of a page with the output that the page shows for them, in order."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from tests.support.project.files import ROOT

DOCS: Final = ROOT / "docs"
# Written by a script from what the commands and the API are; their examples are tested where those are.
_GENERATED: Final = frozenset(["api.md", "cli.md", "query-functions.md", "settings.md"])
_BLOCK: Final = re.compile(
    r"^(?P<indent> *)```(?P<kind>sh|text)\n(?P<text>.*?)^(?P=indent)```$"
    r"(?P<shown>\n+ *```(?:text|json)\n(?P<output>.*?)^ *```$)?",
    re.MULTILINE | re.DOTALL,
)


class Step(NamedTuple):
    """A command, and what the page shows for it; None if it shows nothing."""

    command: str
    output: str | None = None
    # Where the output is in the text of the page.
    start: int = 0
    end: int = 0
    # Whether the page shows it to the letter: after `$`, in a terminal of 80 columns.
    is_exact: bool = False


def pages() -> list[Path]:
    """Every page with a command but the generated ones and the README, which has a test of its own."""
    return [page for page in sorted(DOCS.rglob("*.md")) if page.name not in _GENERATED and list(steps(page))]


def steps(page: Path) -> Iterator[Step]:
    """The commands of a page."""
    text = page.read_text("utf-8")
    position = 0
    while block := _BLOCK.search(text, position):
        position = block.start("shown") if block["kind"] == "text" and block["shown"] else block.end()
        if block["kind"] == "text":
            if block["text"].startswith("$ "):
                command, _, output = block["text"].removeprefix("$ ").partition("\n")
                yield Step(command, output, block.end("text") - len(output), block.end("text"), is_exact=True)
            continue
        *lines, last = logical_lines(block["text"])
        yield from map(Step, lines)
        # A block that begins with its command is another step, or shows watchers that are running.
        if block["output"] is not None and not block["output"].startswith(("$ ", "dayline ")):
            yield Step(last, block["output"], block.start("output"), block.end("output"))
        else:
            position = block.end("text")
            yield Step(last)


def logical_lines(text: str) -> list[str]:
    """The lines of a shell, each with those that continue it."""
    found: list[str] = []
    unfinished = ""
    for line in text.splitlines():
        unfinished += line.strip() if not unfinished else f"\n{line}"
        if unfinished.endswith("\\"):
            unfinished = unfinished[:-1]
            continue
        try:
            shlex.split(unfinished, comments=True)
        except ValueError:  # inside of quotes
            continue
        if unfinished:
            found.append(unfinished)
        unfinished = ""
    return found
