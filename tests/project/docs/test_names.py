"""Commands, options, settings and API paths that the documentation names exist in the code."""

import re
import shlex
from pathlib import Path
from typing import Final

import click
import pytest

from dayline.api.routes import ROUTES
from dayline.cli.groups import Group
from dayline.cli.main import commands
from dayline.config.sections import SettingsFile
from scripts.docs_settings import fields_of, struct_of
from tests.support.project.files import ROOT, project_files

PAGES: Final = [
    file
    for file in project_files()
    if file.suffix == ".md" and (file.parts[0] == "docs" or str(file) in {"README.md", "CONTRIBUTING.md"})
]
# A command in a code span, or at the start of a line of a code block, up to what ends it in a shell.
COMMAND: Final = re.compile(r"(?:`|^|\$ |exec dayline |compose run --rm )(dayline [a-z][^`\n#|>&;]*)", re.MULTILINE)
PATH: Final = re.compile(r"/api/[01]/[^\s`?\"')|;,]*[^\s`?\"')|;,.:]")
SETTINGS: Final = {section.name: fields_of(section.type) for section in struct_of(SettingsFile).fields}
SETTING: Final = re.compile(rf"`({'|'.join(SETTINGS)})\.(?!key`|pem`)(\w+)`")  # server.key is a file
KEY_OF_SECTION: Final = re.compile(rf"`\[({'|'.join(SETTINGS)})\] (\w+)`")
# Inputs of key derivation, and the path of the relay, which is not a route of the server.
NOT_COMMANDS: Final = ("dayline envelope v1", "dayline backup check")
RELAY_PATH: Final = "/api/1/relay"
TEMPLATES: Final = [re.compile(re.sub(r"\{\w+\}", "[^/]+", route.path).rstrip("/") + "/?") for route in ROUTES]


def text_of(page: Path) -> str:
    return (ROOT / page).read_text("utf-8")


def problem(text: str) -> str | None:
    """What is wrong with a command line of the documentation, or None."""
    try:
        _, *words = shlex.split(text.replace("…", ""))
    except ValueError:
        return None  # it continues on the next line
    command: click.Command = commands
    while isinstance(command, click.Group) and words and re.fullmatch(r"[a-z][a-z-]*", words[0]):
        child = command.commands.get(words[0])
        if child is None:
            return f"no command {text!r}"
        command = child
        words.pop(0)
    if isinstance(command, Group) and command.default is not None and words:
        command = command.commands[command.default]
    known = {name for option in command.params for name in (*option.opts, *option.secondary_opts)} | {"--help"}
    used = {word.partition("=")[0] for word in words if re.match(r"--[a-z]", word)}
    return f"no option {sorted(used - known)} in {text!r}" if used - known else None


def test_every_command_and_option_exists(subtests: pytest.Subtests) -> None:
    for page in PAGES:
        with subtests.test(str(page)):
            problems = [
                found
                for text in COMMAND.findall(text_of(page))
                if not text.startswith(NOT_COMMANDS) and (found := problem(text.strip()))
            ]

            assert problems == []


def test_every_setting_exists(subtests: pytest.Subtests) -> None:
    for page in PAGES:
        with subtests.test(str(page)):
            named = [*SETTING.findall(text_of(page)), *KEY_OF_SECTION.findall(text_of(page))]

            assert [
                f"{section}.{key}" for section, key in named if key not in {field.name for field in SETTINGS[section]}
            ] == []


def test_every_api_path_exists(subtests: pytest.Subtests) -> None:
    for page in PAGES:
        with subtests.test(str(page)):
            paths = {path for path in PATH.findall(text_of(page)) if not re.search(r"[…*]", path)} - {RELAY_PATH}

            assert {path for path in paths if not any(template.fullmatch(path) for template in TEMPLATES)} == set()
