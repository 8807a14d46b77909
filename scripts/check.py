"""Format, lint and types, changing nothing: `python -m scripts.check`. Two tools at a time: each uses one core."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Final

# The longest first, so that the others fill the time beside it.
TOOLS: Final = (
    ("mypy",),
    ("basedpyright",),
    ("scripts.web", "check"),
    ("ruff", "format", "--check"),
    ("ruff", "check"),
)


def main() -> None:
    """Run all of them, print what each has to say, and fail where one does."""
    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(_run, tool) for tool in TOOLS]
        failed = [" ".join(tool) for tool, run in zip(TOOLS, runs, strict=True) if not _is_passed(tool, run.result())]
    if failed:
        raise SystemExit(f"failed: {', '.join(failed)}; see the lines above")


def _run(tool: tuple[str, ...]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", *tool], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )


def _is_passed(tool: tuple[str, ...], done: "subprocess.CompletedProcess[str]") -> bool:
    print(f"$ python -m {' '.join(tool)}\n{done.stdout.rstrip()}", flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    main()
