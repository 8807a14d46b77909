"""Lock files fix every version by hash, and hold no address of a registry."""

import re
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.project.files import REQUIREMENTS, ROOT, package_locks, packages, requirements, versions

# A pip option that names a place counts as an address, whatever form the place has.
ADDRESS: Final = re.compile(r"\w+://|\bfile:|--(?:extra-)?index-url|--find-links|--trusted-host|@ ?git")


def name(file: Path) -> str:
    """The file as a test report shows it."""
    return str(file.relative_to(ROOT))


def test_there_are_lock_files_of_both_kinds() -> None:
    assert {"runtime.txt", "dev.txt", "aw-client.txt"} <= {file.name for file in REQUIREMENTS}
    assert ROOT / "webui" / "package-lock.json" in package_locks()


@pytest.mark.parametrize("file", [*REQUIREMENTS, *package_locks()], ids=name)
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


@pytest.mark.parametrize("file", package_locks(), ids=name)
def test_every_node_package_has_a_hash_and_neither_source_nor_funding(file: Path) -> None:
    locked = packages(file)

    assert unhashed(locked) == []
    assert [place for place, entry in locked.items() if entry.keys() & {"resolved", "funding"}] == []


# An entry that called itself bundled was accepted without a hash, whether or not a package with a hash contains it.
def test_a_package_without_a_hash_is_accepted_only_inside_one_whose_hash_covers_it() -> None:
    parent: dict[str, Any] = {"integrity": "sha512-x", "bundleDependencies": ["@some/inner", "plain"]}
    inner: dict[str, Any] = {"inBundle": True}
    locked = {"node_modules/outer": parent, "node_modules/outer/node_modules/@some/inner": inner}

    assert unhashed(locked) == []
    assert unhashed({**locked, "node_modules/other": {}}) == ["node_modules/other"]
    assert unhashed({**locked, "node_modules/plain": inner}) == ["node_modules/plain"]
    for place in ("node_modules/outer/node_modules/foreign", "node_modules/absent/node_modules/plain"):
        assert unhashed({**locked, place: inner}) == [place]
    assert unhashed({**locked, "node_modules/outer": {"bundleDependencies": ["@some/inner"]}}) == list(locked)


def unhashed(locked: dict[str, dict[str, Any]]) -> list[str]:
    """The packages that no hash fixes. npm installs a bundled package out of the archive of the package around it.

    So its lock entry has no hash, and that of its parent covers it: the six in webui/package-lock.json are inside
    @tailwindcss/oxide-wasm32-wasi.
    """
    hashed = {place for place, entry in locked.items() if entry.get("integrity", "").startswith("sha512-")}
    bundled = {
        f"{parent}/node_modules/{name}" for parent in hashed for name in locked[parent].get("bundleDependencies", ())
    }
    return [
        place
        for place, entry in locked.items()
        if place not in hashed and not (entry.get("inBundle") and place in bundled)
    ]
