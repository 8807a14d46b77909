"""Puts the web files that are built, not written, into the package: the web UI, and RapiDoc for the API browser.

The build hook and `make setup` both call `build`.
"""

import gzip
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
WEBUI = ROOT / "webui"
LOCK = WEBUI / "package-lock.json"
RAPIDOC = WEBUI / "node_modules" / "rapidoc"
API = ROOT / "src" / "dayline" / "api"
STATIC = API / "static"
SCRIPT = STATIC / "rapidoc-min.js"
LICENCES = STATIC / "rapidoc-LICENSE.txt"
BUILT = API / "built"
PAGE = BUILT / "index.html"

# What the page is made from; a file among them that is newer than the page makes it stale.
SOURCES = ("index.html", "package-lock.json", "svelte.config.js", "tsconfig.json", "vite.config.ts")
# What browsers take compressed; fonts and pictures are so already.
COMPRESSED = {".css", ".html", ".js", ".svg"}


def is_stale() -> bool:
    """Whether a built file is missing or older than what it is built from."""
    # Equal times are fresh: an sdist gives all its files one time.
    rapidoc_is_stale = any(
        not file.exists() or file.stat().st_mtime < LOCK.stat().st_mtime for file in (SCRIPT, LICENCES)
    )
    return rapidoc_is_stale or not PAGE.exists() or PAGE.stat().st_mtime < max(_changed())


def build() -> None:
    """Build the web UI and copy RapiDoc's one file into the package, unless they are there and current."""
    if not is_stale():
        return
    # Imported here, because a build from an sdist has the files already and so does without Node.
    from scripts.node_packages import install, run_tool

    install(WEBUI)
    own = (RAPIDOC / "LICENSE.txt").read_text(encoding="utf-8")
    bundled = (RAPIDOC / "dist" / "rapidoc-min.js.LICENSE.txt").read_text(encoding="utf-8")
    LICENCES.write_text(f"{own.rstrip()}\n\nRapiDoc's file also contains:\n\n{bundled}", encoding="utf-8")
    shutil.copyfile(RAPIDOC / "dist" / "rapidoc-min.js", SCRIPT)
    # Beside the old ones, and in their place at the end: a server that runs meanwhile serves one or the other.
    fresh = BUILT.with_suffix(".partial")
    run_tool("vite", "build", "--logLevel=error", f"--outDir={fresh}", "--emptyOutDir", folder=WEBUI)
    (fresh / "LICENSES.txt").write_text("\n\n".join(_licences()) + "\n", encoding="utf-8")
    compress(fresh)
    shutil.rmtree(BUILT, ignore_errors=True)
    fresh.rename(BUILT)


def compress(folder: Path) -> None:
    """Write a compressed copy beside every file that is smaller so."""
    for file in sorted(folder.rglob("*")):
        if file.suffix in COMPRESSED:
            content = gzip.compress(file.read_bytes(), mtime=0)
            file.with_name(f"{file.name}.gz").write_bytes(content)


def _changed() -> Iterator[float]:
    for name in SOURCES:
        yield (WEBUI / name).stat().st_mtime
    # A folder changes when a file in it comes or goes.
    for path in (WEBUI / "src").rglob("*"):
        if not path.name.endswith(".test.ts"):
            yield path.stat().st_mtime


def _licences() -> Iterator[str]:
    """The licence of every package of which something may be in the built files."""
    packages: dict[str, dict[str, Any]] = json.loads(LOCK.read_text(encoding="utf-8"))["packages"]
    for place, package in packages.items():
        if not place or package.get("dev"):
            continue
        name = f"{place.rpartition('node_modules/')[2]} {package['version']}: {package.get('license', 'see below')}"
        texts = [file for file in sorted((WEBUI / place).glob("*")) if file.name.lower().startswith("licen")]
        yield "\n\n".join([name, *(text.read_text(encoding="utf-8").strip() for text in texts)])


if __name__ == "__main__":
    build()
