"""Puts the web files that are built, not written, into the package: so far RapiDoc, the API browser.

The build hook and `make setup` both call `build`.
"""

import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "webui" / "package-lock.json"
RAPIDOC = ROOT / "webui" / "node_modules" / "rapidoc"
STATIC = ROOT / "src" / "dayline" / "api" / "static"
SCRIPT = STATIC / "rapidoc-min.js"
LICENCES = STATIC / "rapidoc-LICENSE.txt"


def is_stale() -> bool:
    """Whether a built file is missing or older than the lock file that names its version."""
    # Equal times are fresh: an sdist gives all its files one time.
    return any(not file.exists() or file.stat().st_mtime < LOCK.stat().st_mtime for file in (SCRIPT, LICENCES))


def build() -> None:
    """Copy RapiDoc's one file and its licences into the package, unless they are there and current."""
    if not is_stale():
        return
    # Imported here, because a build from an sdist has the files already and so does without Node.
    from scripts.node_packages import install

    install(LOCK.parent)
    STATIC.mkdir(parents=True, exist_ok=True)
    own = (RAPIDOC / "LICENSE.txt").read_text(encoding="utf-8")
    bundled = (RAPIDOC / "dist" / "rapidoc-min.js.LICENSE.txt").read_text(encoding="utf-8")
    LICENCES.write_text(f"{own.rstrip()}\n\nRapiDoc's file also contains:\n\n{bundled}", encoding="utf-8")
    shutil.copyfile(RAPIDOC / "dist" / "rapidoc-min.js", SCRIPT)


if __name__ == "__main__":
    build()
