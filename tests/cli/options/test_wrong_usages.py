"""Wrong command lines: the message, the hint and the exit code of each, as the golden files have them."""

import re
import shlex
from pathlib import Path

import pytest

from dayline.cli.errors import EXIT_CODES
from tests.cli.options.wrong_usages import VALUES, WrongUsage, prepare, prepare_data, run_here, usages
from tests.support.processes.command import Service

USAGES = list(usages())
WRONG_VALUES = list(usages(VALUES))
# Types, patterns and paths of the API, and Python.
UNWANTED = re.compile(
    r"`(?:int|str|float|array|object)\b|regex '|%Y|\[[0-9]+\]\.|\$\.|Traceback|unexpected error|/api/"
)
# The words of a hint after a command, in which a command ends.
AFTER = frozenset(
    ["lists", "shows", "writes", "creates", "adds", "reads", "uses", "deletes", "gives", "a", "to", "with"]
)
# What a user writes for the placeholders of a hint.
FILLED = {
    "dayline import PATH: give": "dayline import export.json",
    "dayline import": "dayline import export.json",
    "dayline keys create --name laptop --scope append --output FILE": (
        "dayline keys create --name laptop --scope append --output new.key"
    ),
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("wrong")
    prepare(home)
    return home


@pytest.fixture(scope="module")
def home_with_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("values")
    prepare_data(home)
    return home


@pytest.mark.parametrize("expected", USAGES, ids=lambda each: each.command)
def test_a_wrong_command_line_gets_its_message_hint_and_exit_code(expected: WrongUsage, home: Path) -> None:
    before = sorted(home.rglob("*"))

    assert run_here(expected.command, home) == expected
    assert sorted(home.rglob("*")) == before


def test_wrong_values_get_their_message_hint_and_exit_code(home_with_data: Path, subtests: pytest.Subtests) -> None:
    for expected in WRONG_VALUES:
        with subtests.test(command=expected.command):
            assert run_here(expected.command, home_with_data, is_wrong=False) == expected


def test_the_golden_files_have_150_wrong_command_lines_with_listed_codes() -> None:
    every = {(each.command, each.code) for each in (*USAGES, *WRONG_VALUES)}

    assert len(every) >= 150
    assert {code for _, code in every} <= {each.code for each in EXIT_CODES} - {0}


def test_no_message_has_types_patterns_paths_of_the_api_or_a_traceback() -> None:
    assert [each for each in (*USAGES, *WRONG_VALUES) if UNWANTED.search(each.output)] == []


def commands_of(output: str) -> list[str]:
    """The commands that a hint names."""
    found: list[str] = []
    for hint in re.findall(r"^  → (.*)$", output, re.MULTILINE):
        suggestion = " --help" if hint.startswith("did you mean") else ""  # its arguments are the user's
        for text in re.split(r"(?=\bdayline )", hint)[1:]:
            words: list[str] = []
            for word in re.split(r"[;`,]|\)$", text)[0].split():
                if word in AFTER or (word == "or" and words):
                    break
                words.append(word)
            found.append(" ".join(words) + suggestion)
    return found


def test_every_hint_is_a_command_that_works_where_it_is_given(tmp_path: Path, subtests: pytest.Subtests) -> None:
    # `dayline settings list` failed as the command before it, `buckets rename` suggested a merge without its target.
    for number, (golden, make) in enumerate(((USAGES, prepare), (WRONG_VALUES, prepare_data))):
        home = tmp_path / str(number)
        home.mkdir()
        make(home)
        hinted = sorted({command for each in golden for command in commands_of(each.output)})
        assert hinted
        for command in (FILLED.get(each, each) for each in hinted):
            with subtests.test(command=command):
                assert shlex.split(command)[1:]
                if command == "dayline serve":
                    with Service("--port", "0", home=home) as server:
                        assert server.port
                    continue
                done = run_here(command.removeprefix("dayline").strip(), home, is_wrong=False)
                if done.output.endswith("pass --yes"):
                    done = run_here(f"{done.command} --yes", home, is_wrong=False)
                # Without a database, the next hint names the command that creates one.
                assert done.code in (0, 1) or (number == 0 and done.code == 66), done
