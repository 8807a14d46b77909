"""The projects of the demo: what is open in the editor and the terminal."""

from datetime import date
from random import Random
from typing import Final

from msgspec import Struct

# How long one project is the main one, in weeks.
MAIN_PROJECT_WEEKS = 5


class SourceFile(Struct, frozen=True, kw_only=True):
    """A file as an editor names it."""

    project: str
    path: str
    language: str

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]


class Project(Struct, frozen=True, kw_only=True):
    """A folder of source files: every stem in every folder, under one of the suffixes."""

    name: str
    folders: tuple[str, ...]
    stems: tuple[str, ...]
    suffixes: tuple[str, ...]

    def file(self, rng: Random) -> SourceFile:
        """One of the project's files; some come up much more often than others."""
        stem_number = int(rng.random() ** 2 * len(self.stems))
        folder_number = int(rng.random() ** 1.5 * len(self.folders))
        suffix = self.suffixes[(stem_number + folder_number) % len(self.suffixes)]
        path = f"{self.folders[folder_number]}/{self.stems[stem_number]}{suffix}"
        return SourceFile(project=self.name, path=path, language=LANGUAGES[suffix])


def project_of(rng: Random, day: date) -> Project:
    """A project to work on: usually the main one of these weeks, at times the last or the next."""
    main = day.toordinal() // 7 // MAIN_PROJECT_WEEKS
    shift = rng.choices((0, -1, 1, 3), weights=(14, 3, 2, 1))[0]
    return PROJECTS[(main + shift) % len(PROJECTS)]


LANGUAGES: Final = {
    ".py": "python", ".ts": "typescript", ".svelte": "svelte", ".rs": "rust", ".go": "go", ".css": "css",
    ".md": "markdown", ".sql": "sql", ".toml": "toml", ".html": "html", ".yml": "yaml",
}  # fmt: skip

_STEMS: Final = (
    "main", "routes", "models", "store", "events", "buckets", "settings", "calendar", "search", "export", "importer",
    "colours", "layout", "timeline", "charts", "session", "access", "errors", "cache", "queue", "worker", "schema",
    "README", "notes", "release", "index", "forms", "dates", "units", "report",
)  # fmt: skip

PROJECTS: Final = (
    Project(name="orchard", folders=("src", "src/api", "tests", "docs"), stems=_STEMS, suffixes=(".py", ".py", ".md")),
    Project(name="tidepool", folders=("app", "app/charts", "app/pages", "test"), stems=_STEMS,
            suffixes=(".ts", ".svelte", ".ts", ".css")),
    Project(name="paper-boat", folders=("src", "src/wire", "benches"), stems=_STEMS, suffixes=(".rs", ".rs", ".toml")),
    Project(name="lighthouse", folders=("cmd", "internal/store", "internal/ui"), stems=_STEMS,
            suffixes=(".go", ".sql", ".go")),
    Project(name="gartenplan", folders=("plan", "plan/beete", "tests"),
            stems=(*_STEMS[:16], "kräuter", "gemüse", "höhen", "frühling"), suffixes=(".py", ".html", ".py")),
    Project(name="marmalade", folders=("recipes", "web", "scripts"), stems=_STEMS, suffixes=(".py", ".yml", ".md")),
    Project(name="星図", folders=("src", "描画", "tests"), stems=(*_STEMS[:10], "星座", "設定", "日付"),
            suffixes=(".ts", ".py")),
    Project(name="night-train", folders=("src", "src/tables", "tests"), stems=_STEMS, suffixes=(".rs", ".sql", ".md")),
)  # fmt: skip
