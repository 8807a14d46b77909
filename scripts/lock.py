"""Writes every lock file: hashed requirements, and package-lock files without addresses.

Versions that still fit stay as they are; with `--upgrade` each becomes the newest that fits.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from scripts.node_packages import ROOT, run_npm

NODE_FOLDERS = ("webui", "tests/client/released/javascript", "tests/support/chromium")

# Their one built file holds all that they depend on: RapiDoc would bring 122 packages that nothing reads.
SELF_CONTAINED = ("rapidoc",)


def main() -> None:
    """Write the requirement files, then the package-lock file of each Node folder."""
    upgrade = "--upgrade" in sys.argv[1:]
    lock_python("runtime", "pyproject.toml", "--extra=postgres", upgrade=upgrade)
    # Constrained, so that tests run on the versions that users get.
    extras = ("--extra=postgres", "--extra=keyring", "--group=dev")
    lock_python("dev", "pyproject.toml", *extras, "--constraint=requirements/runtime.txt", upgrade=upgrade)
    for group in ("build", "node"):
        lock_python(group, f"--group=pyproject.toml:{group}", "--constraint=requirements/dev.txt", upgrade=upgrade)
    lock_python("aw-client", "--group=pyproject.toml:aw-client", upgrade=upgrade)
    for name in NODE_FOLDERS:
        lock_node(ROOT / name, upgrade=upgrade)


def lock_python(name: str, *sources: str, upgrade: bool) -> None:
    """Write `requirements/<name>.txt`: for every platform, from Python 3.11 on, with hashes and without an index."""
    target = f"requirements/{name}.txt"
    output = [f"--output-file={target}", "--generate-hashes", "--no-emit-index-url", "--no-header", "--no-annotate"]
    scope = ["--universal", "--python-version=3.11", *(["--upgrade"] if upgrade else [])]
    subprocess.run(
        [sys.executable, "-m", "uv", "pip", "compile", "--quiet", *output, *scope, *sources], cwd=ROOT, check=True
    )
    print(target)


def lock_node(folder: Path, *, upgrade: bool) -> None:
    """Write `folder/package-lock.json`, with integrity hashes and without addresses."""
    lock = folder / "package-lock.json"
    if upgrade:
        lock.unlink(missing_ok=True)
    run_npm("install", "--package-lock-only", "--ignore-scripts", folder=folder)
    if strip(lock):
        run_npm("prune", "--package-lock-only", "--ignore-scripts", folder=folder)
        strip(lock)
    print(lock.relative_to(ROOT))


def strip(lock: Path) -> bool:
    """Take the addresses out, and the dependencies of self-contained packages; say whether there were such."""
    content = json.loads(lock.read_text(encoding="utf-8"))
    packages: dict[str, dict[str, Any]] = content["packages"]
    for package in packages.values():
        package.pop("resolved", None)
        package.pop("funding", None)
    cut = [
        packages[f"node_modules/{name}"].pop("dependencies", None)
        for name in SELF_CONTAINED
        if f"node_modules/{name}" in packages
    ]
    lock.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return any(cut)


if __name__ == "__main__":
    main()
