"""Format, lint, types and layers, changing nothing: `python -m scripts.check`.

Two tools at a time: each uses one core.
"""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Final

# The longest first, so that the others fill the time beside it.
TOOLS: Final = (
    ("scripts.web", "check"),
    ("basedpyright",),
    ("mypy",),
    # What imports what, how much is in a folder, and what early releases of Python 3.11 get wrong.
    ("pytest", "--quiet", "tests/project/test_layers.py", "tests/project/test_regular_expressions.py"),
    ("ruff", "check"),
    ("ruff", "format", "--check"),
)


def main() -> None:
    """Run all of them, print the output of those that fail and the last line of the others, and fail if one fails."""
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
    is_passed = done.returncode == 0
    lines = done.stdout.rstrip().splitlines()
    print(f"$ python -m {' '.join(tool)}", *(lines[-1:] if is_passed else lines), sep="\n", flush=True)
    return is_passed


if __name__ == "__main__":
    main()
