"""Pages show what the commands on them print."""

from pathlib import Path

import pytest

from tests.project.docs.page_output import PAGES, make_demo, printed, screens, without_times


def test_every_output_on_a_page_is_what_its_command_prints(tmp_path: Path, subtests: pytest.Subtests) -> None:
    # Pages showed columns and words that commands had not printed for a long time.
    database = tmp_path / "demo.db"
    make_demo(database)
    for page in PAGES:
        on_the_page = list(screens(page.read_text("utf-8")))
        assert on_the_page, page
        for command, screen in on_the_page:
            with subtests.test(page=page.name, command=command):
                output = printed(database, command)

                assert without_times(command, output) == without_times(command, screen), (
                    "to write it again: python -m tests.project.docs.page_output"
                )
