"""`dayline categories`, on a database that no server has open."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from dayline.cli.time.categories import categories

CLASSES = [{"name": ["Work"], "rule": {"type": "regex", "regex": "Code"}}]


def run(database: Path, *arguments: str) -> str:
    result = CliRunner().invoke(categories, [*arguments, "--database", str(database)])
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("categories")
    (folder / "rules.json").write_text(json.dumps(CLASSES))
    run(folder / "days.db", "import", str(folder / "rules.json"))
    return folder / "days.db"


def test_what_was_imported_is_listed_with_its_version(database: Path) -> None:
    assert "Work" in run(database, "list")
    assert "/Code/" in run(database, "list")
    [version] = json.loads(run(database, "history", "--json"))["versions"]
    assert (version["author"], version["comment"]) == ("command line", "imported (merge)")


def test_the_piece_that_matched_is_shown(database: Path) -> None:
    reported = run(database, "explain", "--app", "Code", "--title", "main.py")

    assert reported.splitlines() == ["Work", "  because app regex 'Code': [Code]"]


def test_a_category_is_added_and_gets_more_rules(tmp_path: Path) -> None:
    database = tmp_path / "days.db"

    added = run(database, "add", "Work/Code", "--app", "Code", "--color", "teal")
    changed = run(database, "add", "Work/Code", "--app", "Code", "--rule", "title:regex:main[.]py")

    assert added == "Added Work/Code: app is Code\n"
    versions = json.loads(run(database, "history", "--json"))["versions"]
    # Both were an import in the history.
    assert [each["comment"] for each in versions] == ["changed Work/Code", "added Work/Code"]
    assert changed.endswith(f". To undo it: dayline categories restore {versions[1]['number']}\n")
    [category] = json.loads(run(database, "list", "--json"))["categories"]
    assert (category["name"], category["color"]) == (["Work", "Code"], "teal")
    rules = [(each["field"], each["op"], each["value"]) for each in category["conditions"]]
    assert rules == [("app", "is", "Code"), ("title", "regex", "main[.]py")]
    assert run(database, "explain", "--app", "Code").startswith("Work/Code\n")
