"""Every command of every page works in order in a home folder of its own, and prints what the page shows."""

from pathlib import Path

import pytest

from tests.project.docs.pages.kinds import NOT_COMPARED, NOT_RUN, reason_not_to_compare, reason_not_to_run
from tests.project.docs.pages.page_output import is_shown, make_demo
from tests.project.docs.pages.steps import DOCS, Step, pages, steps
from tests.project.docs.pages.walk import Walk

COMMANDS = [(page, step) for page in pages() for step in steps(page)]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    database = tmp_path_factory.mktemp("demo") / "demo.db"
    make_demo(database)
    return database


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(DOCS)))
def test_every_command_of_a_page_works_in_order_and_prints_what_the_page_shows(
    page: Path, tmp_path: Path, demo: Path, subtests: pytest.Subtests
) -> None:
    # Pages showed columns and words that commands had not printed for a long time, and commands that failed.
    with Walk(page, tmp_path, demo) as walk:
        for step in steps(page):
            if reason_not_to_run(step.command):
                continue
            done = walk.take(step)
            with subtests.test(command=step.command):
                assert done.code == 0, done.output
                if step.output is not None and not reason_not_to_compare(step.command):
                    assert is_shown(step, done.output), (
                        f"{done.output}\nto write it: python -m tests.project.docs.pages.page_output {page.name}"
                    )


def test_every_kind_that_is_left_out_is_on_a_page() -> None:
    commands = [step.command for _, step in COMMANDS]

    left_out = {reason_not_to_run(command) or reason_not_to_compare(command) for command in commands}

    assert {kind.reason for kind in (*NOT_RUN, *NOT_COMPARED)} == left_out - {None}


def test_most_commands_are_run() -> None:
    run = [step for _, step in COMMANDS if not reason_not_to_run(step.command)]

    assert len(run) > 100
    assert len([step for step in run if step.output is not None]) > 20


def test_an_output_that_differs_is_found() -> None:
    step = Step("dayline backup list", "name  state  size\none  verified  0.6 MiB\n")

    assert is_shown(step, "name   state     size\ntwo.1  verified  2.0 MiB\n") is False
    assert is_shown(step, "name   state     size\none  verified  2.0 MiB\n") is True
    assert is_shown(step, "name   state     bytes\none  verified  2.0 MiB\n") is False
