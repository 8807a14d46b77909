"""A hint of the API names endpoints; the same hint of a command names commands that exist."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import dayline
from dayline.cli.hints import command_hint
from dayline.cli.main import entries

# No command calls these, or the hint is for a program.
NO_COMMAND: Final = (
    "/api/0/settings/", "/api/1/envelope", "/api/1/jobs", "/api/1/query", "/api/1/reports", "/api/1/settings/history",
    "/api/1/welcome", "GET /api/ lists",
)  # fmt: skip


def hints() -> Iterator[str]:
    """Every hint of the source that names an endpoint, with 17 for each value."""
    for path in sorted(Path(dayline.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.keyword) or node.arg != "hint":
                continue
            for part in ast.walk(node.value):
                text = ""
                if isinstance(part, ast.JoinedStr):
                    text = "".join(str(each.value) if isinstance(each, ast.Constant) else "17" for each in part.values)
                elif isinstance(part, ast.Constant) and not isinstance(node.value, ast.JoinedStr):
                    text = str(part.value)
                if "/api/" in text and not any(each in text for each in NO_COMMAND):
                    yield text


def test_a_command_names_commands_and_no_endpoints() -> None:
    commands = {name for name, _ in entries()}
    shown = {hint: command_hint(hint) for hint in hints()}

    assert shown
    for hint, text in shown.items():
        assert "/api/" not in text, hint
        names = set(re.findall(r"dayline (\w+)", text))
        assert names, hint
        assert names <= commands, hint


def test_a_hint_without_a_command_stays_as_it_is() -> None:
    assert command_hint("GET /api/1/jobs lists the jobs") == "GET /api/1/jobs lists the jobs"
