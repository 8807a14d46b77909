"""The page about the terminal shows what the commands print."""

from pathlib import Path

from tests.project.docs.terminal_page import PAGE, make_demo, printed, screens, without_times


def test_every_screen_of_the_page_is_what_its_command_prints(tmp_path: Path) -> None:
    database = tmp_path / "demo.db"
    make_demo(database)
    on_the_page = screens(PAGE.read_text("utf-8"))
    assert len(on_the_page) >= 4

    wrong = [
        f"dayline {command}\n{printed(database, command)}"
        for command, screen in on_the_page.items()
        if without_times(printed(database, command)) != without_times(screen)
    ]

    assert wrong == [], "to write them again: python -m tests.project.docs.terminal_page"
