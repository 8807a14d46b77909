"""The generated pages of docs/ say what the code says: nothing in it is undocumented."""

import tomllib

import click
import pytest

from dayline.api.routes import ROUTES
from dayline.cli.main import commands
from dayline.config.sections import SettingsFile, parse_settings
from scripts.docs_cli import walk
from scripts.docs_settings import EXAMPLE, described, fields_of, struct_of
from scripts.write_docs import pages
from tests.support.project.files import ROOT

KEYS = [(section.name, field) for section in struct_of(SettingsFile).fields for field in fields_of(section.type)]


def page(name: str) -> str:
    return (ROOT / "docs" / "reference" / name).read_text(encoding="utf-8")


def test_a_page_is_what_make_docs_would_write(subtests: pytest.Subtests) -> None:
    for name in pages():
        with subtests.test(name=name):
            assert (ROOT / name).read_text(encoding="utf-8") == pages()[name], "type: make docs"


def test_every_route_is_on_the_page_of_the_api() -> None:
    text = page("api.md")

    assert [route.path for route in ROUTES if f"`{route.path}`" not in text and f" {route.path}`" not in text] == []


def test_every_settings_key_is_explained(subtests: pytest.Subtests) -> None:
    for section, field in KEYS:
        with subtests.test(f"{section}.{field.name}"):
            rows = page("settings.md").partition(f"## `[{section}]`")[2].partition("\n## ")[0]

            assert described(field.type)[0]
            assert f"| `{field.name}` |" in rows


def test_every_section_of_the_settings_is_on_their_page() -> None:
    text = page("settings.md")

    assert [name for name in SettingsFile.__struct_fields__ if f"## `[{name}]`" not in text] == []


def test_every_flag_of_the_server_is_on_the_page_of_settings() -> None:
    text = page("settings.md")
    flags = [option.opts[0] for option in commands.commands["serve"].params if isinstance(option, click.Option)]

    assert [flag for flag in flags if f"`{flag}`" not in text] == []


def test_the_example_of_a_settings_file_is_one() -> None:
    assert parse_settings(tomllib.loads(EXAMPLE)).server.port == 5700


def test_every_command_and_each_of_its_options_is_on_the_page_of_commands(subtests: pytest.Subtests) -> None:
    for name, command in walk("dayline", commands):
        with subtests.test(name=name):
            help_text = page("cli.md").partition(f"## `{name}`\n")[2].partition("\n## ")[0]
            flags = [option.opts[0] for option in command.params if isinstance(option, click.Option)]

            assert help_text
            assert [flag for flag in flags if flag not in help_text] == []
