"""Every link between the project's Markdown pages leads to a file and a heading that exist."""

import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from scripts.markdown import anchor
from tests.support.project.files import ROOT, project_files

PAGES: Final = [file for file in project_files() if file.suffix == ".md"]
CODE_BLOCK: Final = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK: Final = re.compile(r"\]\(([^)\s]+)\)")
HEADING: Final = re.compile(r"^#+ (.*)$", re.MULTILINE)
PATH_IN_CODE: Final = re.compile(r"docs/[\w/-]+\.md")
SOURCE_SUFFIXES: Final = {".py", ".ts", ".svelte", ".yaml", ".toml"}
MAX_ENTRIES: Final = 15


def prose(page: Path) -> str:
    """The text of a page without its code blocks."""
    return CODE_BLOCK.sub("", (ROOT / page).read_text("utf-8"))


@cache
def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives the headings of a page: a repeated heading gets a number."""
    seen = Counter[str]()
    names = set[str]()
    for heading in HEADING.findall(prose(page)):
        name = anchor(heading)
        names.add(f"{name}-{seen[name]}" if seen[name] else name)
        seen[name] += 1
    return names


def test_every_link_of_a_page_leads_to_a_file_and_a_heading(subtests: pytest.Subtests) -> None:
    for page in PAGES:
        with subtests.test(str(page)):
            broken: list[str] = []
            for link in LINK.findall(prose(page)):
                path, _, fragment = link.partition("#")
                if "://" in link or path.startswith("mailto:"):
                    continue
                target = (ROOT / page.parent / path).resolve() if path else ROOT / page
                if not target.exists() or (fragment and fragment not in anchors(target.relative_to(ROOT))):
                    broken.append(link)

            assert broken == []


def test_every_page_that_the_code_names_exists() -> None:
    missing = [
        f"{file}: {path}"
        for file in project_files()
        if file.suffix in SOURCE_SUFFIXES
        for path in PATH_IN_CODE.findall((ROOT / file).read_text("utf-8"))
        if not (ROOT / path).exists()
    ]

    assert missing == []


def test_the_index_links_every_page() -> None:
    index = (ROOT / "docs" / "README.md").read_text("utf-8")
    pages = [file for file in PAGES if file.parts[0] == "docs" and len(file.parts) > 2]

    assert [str(page) for page in pages if f"]({page.relative_to('docs')})" not in index] == []


def test_no_folder_of_the_docs_has_more_than_15_entries() -> None:
    sizes = Counter(file.parent for file in project_files() if file.parts[0] == "docs")

    assert {str(folder): size for folder, size in sizes.items() if size > MAX_ENTRIES} == {}
