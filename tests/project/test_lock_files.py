"""Lock files fix every version by hash, and hold no address of a registry."""

import re
from pathlib import Path
from typing import Final

import pytest

from tests.support.project.lock_files import PACKAGE_LOCKS, REQUIREMENTS, packages, requirements, versions
from tests.support.project.tracked import ROOT

# A pip option that names a place counts as an address, whatever form the place has.
ADDRESS: Final = re.compile(r"\w+://|\bfile:|--(?:extra-)?index-url|--find-links|--trusted-host|@ ?git")


def name(file: Path) -> str:
    """The file as a test report shows it."""
    return str(file.relative_to(ROOT))


def test_there_are_lock_files_of_both_kinds() -> None:
    assert {"runtime.txt", "dev.txt", "aw-client.txt"} <= {file.name for file in REQUIREMENTS}
    assert ROOT / "webui" / "package-lock.json" in PACKAGE_LOCKS


@pytest.mark.parametrize("file", [*REQUIREMENTS, *PACKAGE_LOCKS], ids=name)
def test_a_lock_file_holds_no_address(file: Path) -> None:
    assert ADDRESS.findall(file.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("file", REQUIREMENTS, ids=name)
def test_every_requirement_has_one_version_and_a_hash(file: Path) -> None:
    loose = [
        line for line in requirements(file) if not re.search(r"^[a-z0-9-]+==\S+ .*--hash=sha256:[0-9a-f]{64}", line)
    ]

    assert loose == []


def test_tests_run_on_the_versions_that_users_get() -> None:
    tested = versions(ROOT / "requirements" / "dev.txt")

    assert versions(ROOT / "requirements" / "runtime.txt").items() <= tested.items()


@pytest.mark.parametrize("file", PACKAGE_LOCKS, ids=name)
def test_every_node_package_has_a_hash_and_neither_source_nor_funding(file: Path) -> None:
    wrong = [
        place
        for place, entry in packages(file).items()
        # What a package brings inside itself is covered by that package's hash.
        if not (entry.get("inBundle") or entry.get("integrity", "").startswith("sha512-"))
        or entry.keys() & {"resolved", "funding"}
    ]

    assert wrong == []
