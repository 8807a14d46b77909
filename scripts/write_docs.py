"""Write the generated pages of docs/ and the sample service files of contrib/.

A test compares the files with the output of this script.
"""

from scripts.docs_api import api_page
from scripts.docs_cli import cli_page
from scripts.docs_query import query_functions_page
from scripts.docs_service import sample_agent, sample_unit
from scripts.docs_settings import settings_page
from scripts.node_packages import ROOT


def pages() -> dict[str, str]:
    """Every generated file by its path in the project."""
    return {
        "docs/reference/api.md": api_page(),
        "docs/reference/settings.md": settings_page(),
        "docs/reference/cli.md": cli_page(),
        "docs/reference/query-functions.md": query_functions_page(),
        "contrib/systemd/dayline.service": sample_unit(),
        "contrib/launchd/dayline.plist": sample_agent(),
    }


def main() -> None:
    """Write the pages."""
    for name, text in pages().items():
        (ROOT / name).write_text(text, encoding="utf-8")
        print(name)


if __name__ == "__main__":
    main()
