"""Refuse to build a release in which something still has to be filled in. `make release` runs it before `make dist`."""

import sys
import tomllib
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
# The address in SECURITY.md until there is one.
PLACEHOLDER: Final = "EXAMPLE.INVALID"


def missing(root: Path) -> list[str]:
    """What has to be filled in before a release, in sentences."""
    found: list[str] = []
    if PLACEHOLDER in (root / "SECURITY.md").read_text("utf-8"):
        found.append("SECURITY.md has no address for reports of vulnerabilities")
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    if not project.get("urls"):
        found.append("pyproject.toml has no addresses in [project.urls]")
    return found


def main() -> None:
    """Exit with 1 and a sentence for each."""
    sentences = missing(ROOT)
    for sentence in sentences:
        print(sentence, file=sys.stderr)
    sys.exit(1 if sentences else 0)


if __name__ == "__main__":
    main()
