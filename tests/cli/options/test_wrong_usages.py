"""Wrong command lines: the message, the hint and the exit code of each, as the golden file has them."""

from pathlib import Path

import pytest

from dayline.cli.errors import EXIT_CODES
from tests.cli.options.wrong_usages import WrongUsage, prepare, run_here, usages

USAGES = list(usages())


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("wrong")
    prepare(home)
    return home


@pytest.mark.parametrize("expected", USAGES, ids=lambda each: each.command)
def test_a_wrong_command_line_gets_its_message_hint_and_exit_code(expected: WrongUsage, home: Path) -> None:
    before = sorted(home.rglob("*"))

    assert run_here(expected.command, home) == expected
    assert sorted(home.rglob("*")) == before


def test_the_golden_file_has_at_least_eighty_wrong_usages_with_listed_codes() -> None:
    assert len({each.command for each in USAGES}) >= 80
    assert {each.code for each in USAGES} <= {each.code for each in EXIT_CODES} - {0, 75}
