"""A release cannot be built while its addresses are placeholders."""

from pathlib import Path

from scripts.release import PLACEHOLDER, missing
from tests.support.project.files import ROOT, project_files


def write(root: Path, *, contact: str, urls: str) -> Path:
    (root / "SECURITY.md").write_text(f"report vulnerabilities to {contact}\n")
    (root / "pyproject.toml").write_text(f"[project]\nname = 'dayline'\n[project.urls]\n{urls}\n")
    return root


def test_what_is_missing_is_a_sentence_each(tmp_path: Path) -> None:
    unfinished = write(tmp_path, contact=f"CONTACT@{PLACEHOLDER}", urls="")

    assert missing(unfinished) == [
        "SECURITY.md has no address for reports of vulnerabilities",
        "pyproject.toml has no addresses in [project.urls]",
    ]


def test_nothing_is_missing_when_both_are_filled_in(tmp_path: Path) -> None:
    assert missing(write(tmp_path, contact="security@dayline.example", urls='Source = "https://dayline.example"')) == []


def test_a_placeholder_is_only_where_the_check_looks() -> None:
    # `<this repository>` was on two other pages.
    pages = [file for file in project_files() if file.suffix == ".md"]
    with_one = {
        str(page)
        for page in pages
        if any(each in (ROOT / page).read_text("utf-8") for each in (PLACEHOLDER, "<this repo"))
    }

    assert with_one <= {"SECURITY.md"}
