"""What holds for the files of the project as a whole."""

import re
from pathlib import Path
from typing import Final

from dayline import __version__
from tests.support.project.files import ROOT, project_files

# Folders that exist on the machine of anyone who wrote the line, and nowhere else.
MACHINE_PATH: Final = re.compile(r"(?<![\w.-])/(?:work|root|tmp)/[\w.-]+")
EMPTY_WORDS: Final = {"util", "utils", "helper", "helpers", "common", "core", "misc", "manager"}
README_LINES_AT_MOST: Final = 150
ARCHITECTURE_LINES_AT_MOST: Final = 200


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_no_file_names_a_path_of_a_machine() -> None:
    found = [
        f"{file}: {path}"
        for file in project_files()
        for path in MACHINE_PATH.findall((ROOT / file).read_bytes().decode(errors="ignore"))
    ]

    assert found == []


def test_no_folder_or_module_has_a_meaningless_name() -> None:
    core = Path("webui/src/core")  # a layer, below kit/ and features/
    names = {file: (file.relative_to(core) if file.is_relative_to(core) else file).parts for file in project_files()}

    assert [str(file) for file, parts in names.items() if EMPTY_WORDS & {part.split(".")[0] for part in parts}] == []


def test_only_the_package_and_its_client_have_content_in_their_init_file() -> None:
    inits = [file for file in (ROOT / "src" / "dayline").glob("*/**/__init__.py") if file.read_bytes()]

    assert [str(file.relative_to(ROOT)) for file in inits] == ["src/dayline/client/__init__.py"]


def test_the_readme_is_short_and_shows_how_to_run_and_to_test() -> None:
    readme = read("README.md")

    assert len(readme.splitlines()) <= README_LINES_AT_MOST
    assert "make run" in readme
    assert "make test" in readme


def test_the_changelog_begins_with_the_version_of_the_package() -> None:
    versions = re.findall(r"^## \[?(\d+\.\d+\.\d+)", read("CHANGELOG.md"), flags=re.MULTILINE)

    assert versions[:1] == [__version__]


def test_the_architecture_is_short() -> None:
    assert len(read("ARCHITECTURE.md").splitlines()) <= ARCHITECTURE_LINES_AT_MOST


def test_every_path_that_the_design_names_exists() -> None:
    pages = ["ARCHITECTURE.md", *(str(file) for file in project_files() if file.match("docs/design/*.md"))]
    named = [(page, path) for page in pages for path in re.findall(r"`((?:[\w*]+/)+[\w*]+\.py)`", read(page))]
    missing = [
        f"{page}: {path}"
        for page, path in named
        if not (list(ROOT.glob(path)) or list((ROOT / "src" / "dayline").glob(path)))
    ]

    assert named
    assert missing == []
