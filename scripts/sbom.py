"""Writes a software bill of materials as CycloneDX JSON, from the lock files alone.

The same lock files give the same bytes. What is part of Dayline when it runs has the scope `required`, or `optional`
for PostgreSQL; tools that only build or test it are `excluded`. A property names the lock files of each package.
"""

import argparse
import base64
import json
import re
import tomllib
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple
from urllib.parse import quote

from scripts.lock import NODE_FOLDERS
from scripts.node_packages import ROOT

SPEC_VERSION: Final = "1.6"

Scope = Literal["required", "optional", "excluded"]
# From what matters most: a package in several lock files has the strongest of its scopes.
_SCOPES: Final[tuple[Scope, ...]] = ("required", "optional", "excluded")
_REQUIREMENT: Final = re.compile(
    r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>\S+)(?: ; (?P<marker>.+?))?(?: +--hash=\S+)+$"
)
_OPTIONAL: Final = re.compile(r"psycopg(?:-binary|-pool)?")  # the extra `postgres`


class Package(NamedTuple):
    """A locked package, as one lock file has it."""

    kind: Literal["pypi", "npm"]
    name: str
    version: str
    scope: Scope
    lock_file: str
    license: str | None = None
    hashes: tuple[tuple[str, str], ...] = ()  # algorithm and hexadecimal digest

    @property
    def purl(self) -> str:
        """The package URL, by which vulnerability databases know it."""
        return f"pkg:{self.kind}/{quote(self.name, safe='/')}@{quote(self.version)}"


def python_packages(lock_file: Path) -> Iterator[Package]:
    """The packages of a requirements file. Raises ValueError for a line that is no locked requirement."""
    is_runtime = lock_file.stem == "runtime"
    for line in lock_file.read_text("utf-8").replace("\\\n", " ").splitlines():
        found = _REQUIREMENT.match(re.sub(r"\s+", " ", line).strip())
        if found is None:
            raise ValueError(f"{lock_file.name}: not a locked requirement: {line[:80]!r}")
        name = found["name"]
        scope: Scope = "excluded" if not is_runtime else "optional" if _OPTIONAL.fullmatch(name) else "required"
        yield Package("pypi", name, found["version"], scope, _name(lock_file))


def node_packages(lock_file: Path) -> Iterator[Package]:
    """The packages of a package-lock file. What the web UI is not built from, and what tests use, is excluded."""
    is_bundled = lock_file.parent.name == "webui"
    entries: dict[str, dict[str, Any]] = json.loads(lock_file.read_text("utf-8"))["packages"]
    for place, entry in entries.items():
        if not place:
            continue  # the project itself
        is_needed = is_bundled and not any(entry.get(mark) for mark in ("dev", "devOptional", "optional", "peer"))
        yield Package(
            kind="npm",
            name=entry.get("name") or place.rpartition("node_modules/")[2],
            version=entry["version"],
            scope="required" if is_needed else "excluded",
            lock_file=_name(lock_file),
            license=entry.get("license"),
            hashes=tuple(_digest(one) for one in entry.get("integrity", "").split()),
        )


def bill_of_materials() -> dict[str, Any]:
    """The CycloneDX document for all lock files."""
    packages = [
        *(package for file in sorted((ROOT / "requirements").glob("*.txt")) for package in python_packages(file)),
        *(package for folder in NODE_FOLDERS for package in node_packages(ROOT / folder / "package-lock.json")),
    ]
    by_purl: dict[str, list[Package]] = {}
    for package in packages:
        by_purl.setdefault(package.purl, []).append(package)
    components = [_component(by_purl[purl]) for purl in sorted(by_purl)]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    root = {
        "type": "application",
        "bom-ref": "dayline",
        "name": project["name"],
        "version": _version(),
        "description": project["description"],
        "licenses": [{"license": {"id": project["license"]}}],
    }
    in_use = [component["bom-ref"] for component in components if component["scope"] != "excluded"]
    content = {
        "metadata": {"component": root},
        "components": components,
        # The lock files say what is installed, not which package asked for it.
        "dependencies": [{"ref": "dayline", "dependsOn": in_use}],
    }
    serial = uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(content, sort_keys=True))
    head = {"bomFormat": "CycloneDX", "specVersion": SPEC_VERSION, "serialNumber": f"urn:uuid:{serial}", "version": 1}
    return head | content


def main() -> None:
    """Write the document, and print where it is."""
    parser = argparse.ArgumentParser(prog="python -m scripts.sbom", description="Write a CycloneDX SBOM.")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "sbom.cdx.json", metavar="FILE")
    output: Path = parser.parse_args().output
    document = bill_of_materials()
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    counts = {scope: sum(one["scope"] == scope for one in document["components"]) for scope in _SCOPES}
    print(f"{output}: " + ", ".join(f"{count} {scope}" for scope, count in counts.items()))


def _component(packages: list[Package]) -> dict[str, Any]:
    """One package, whichever lock files it is in."""
    first = packages[0]
    group, _, name = first.name.rpartition("/")
    component: dict[str, Any] = {
        "type": "library",
        "bom-ref": first.purl,
        **({"group": group} if group else {}),
        "name": name,
        "version": first.version,
        "scope": min((package.scope for package in packages), key=_SCOPES.index),
    }
    if first.hashes:
        component["hashes"] = [{"alg": algorithm, "content": digest} for algorithm, digest in first.hashes]
    if first.license is not None:
        component["licenses"] = [{"expression": first.license}]
    component["purl"] = first.purl
    files = sorted({package.lock_file for package in packages})
    component["properties"] = [{"name": "dayline:lock-file", "value": file} for file in files]
    return component


def _digest(integrity: str) -> tuple[str, str]:
    """An npm integrity value as CycloneDX writes it: `sha512-…` in base64 becomes SHA-512 in hexadecimal digits."""
    algorithm, _, encoded = integrity.partition("-")
    return algorithm.upper().replace("SHA", "SHA-"), base64.b64decode(encoded).hex()


def _version() -> str:
    found = re.search(r'__version__ = "([^"]+)"', (ROOT / "src" / "dayline" / "__init__.py").read_text("utf-8"))
    if found is None:
        raise ValueError("src/dayline/__init__.py has no version")
    return found[1]


def _name(lock_file: Path) -> str:
    return lock_file.relative_to(ROOT).as_posix()


if __name__ == "__main__":
    main()
