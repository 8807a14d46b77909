"""What is on the screen of a demo device: coding, mail, reading, meetings, games and projects.

An activity is an infinite generator; the caller decides when to switch to another one.
"""

from collections.abc import Callable, Iterator
from datetime import date
from random import Random
from typing import Final

from msgspec import Struct

from dayline.demo.content import (
    CHANNELS,
    GAMES,
    HOME_SITES,
    MEETINGS,
    PEOPLE,
    SONGS,
    WORK_SITES,
    Site,
    WebPage,
    phrase,
    subject,
    visit,
)
from dayline.demo.routine import Mood

# How many weeks one project is the main one.
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
    """A project with source files: every stem in every folder, with one of the suffixes."""

    name: str
    folders: tuple[str, ...]
    stems: tuple[str, ...]
    suffixes: tuple[str, ...]

    def file(self, rng: Random) -> SourceFile:
        """One of the project's files; some are much more frequent than others."""
        stem_number = int(rng.random() ** 2 * len(self.stems))
        folder_number = int(rng.random() ** 1.5 * len(self.folders))
        suffix = self.suffixes[(stem_number + folder_number) % len(self.suffixes)]
        path = f"{self.folders[folder_number]}/{self.stems[stem_number]}{suffix}"
        return SourceFile(project=self.name, path=path, language=LANGUAGES[suffix])


def project_of(rng: Random, day: date) -> Project:
    """A project: usually the current main one, sometimes the previous or the next."""
    main = day.toordinal() // 7 // MAIN_PROJECT_WEEKS
    shift = rng.choices((0, -1, 1, 3), weights=(14, 3, 2, 1))[0]
    return PROJECTS[(main + shift) % len(PROJECTS)]


LANGUAGES: Final = {
    ".py": "python", ".ts": "typescript", ".svelte": "svelte", ".rs": "rust", ".go": "go", ".css": "css",
    ".md": "markdown", ".sql": "sql", ".toml": "toml", ".html": "html", ".yml": "yaml",
}  # fmt: skip

_STEMS: Final = (
    "main", "routes", "models", "store", "events", "buckets", "settings", "calendar", "search", "export", "importer",
    "colors", "layout", "timeline", "charts", "session", "access", "errors", "cache", "queue", "worker", "schema",
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


UNSAVED_SHARE = 0.12


class Tab(Struct, frozen=True, kw_only=True):
    """The active tab of a browser."""

    url: str
    title: str
    is_audible: bool
    is_incognito: bool
    tab_count: int


class Scene(Struct, frozen=True, kw_only=True):
    """An active window, and its average duration in seconds."""

    app: str
    title: str
    dwell_s: float
    tab: Tab | None = None
    file: SourceFile | None = None


class Desk(Struct, frozen=True, kw_only=True):
    """The context of an activity: the day, the random generator and the programs of the device."""

    rng: Random
    day: date
    seed: int
    hostname: str
    browser: str
    browser_title: str


Activity = Callable[[Desk], Iterator[Scene]]


def activity_for(mood: Mood, rng: Random) -> Activity:
    """The next activity."""
    activities, weights = ACTIVITIES[mood]
    return rng.choices(activities, weights)[0]


def _coding(desk: Desk) -> Iterator[Scene]:
    project = project_of(desk.rng, desk.day)
    files = [project.file(desk.rng) for _ in range(desk.rng.randint(2, 7))]
    reading = _browsing(desk, WORK_SITES)
    while True:
        turn = desk.rng.random()
        if turn < 0.62:
            yield _editor(desk, desk.rng.choice(files))
        elif turn < 0.86:
            yield _terminal(desk, project.name)
        else:
            yield next(reading)


def _editor(desk: Desk, file: SourceFile) -> Scene:
    unsaved = "● " if desk.rng.random() < UNSAVED_SHARE else ""
    title = f"{unsaved}{file.name} - {file.project} - Visual Studio Code"
    return Scene(app="Code", title=title, dwell_s=10, file=file)


def _terminal(desk: Desk, project: str) -> Scene:
    running = desk.rng.choice(("make test", "git diff", "git log --oneline", "pytest -q", "make run", "htop", ""))
    prompt = f"robin@{desk.hostname}: ~/src/{project}"
    return Scene(app="Terminal", title=f"{running} - {prompt}" if running else prompt, dwell_s=6)


def _browsing(desk: Desk, sites: tuple[Site, ...], *, dwell_s: float = 8) -> Iterator[Scene]:
    """A few open tabs, switched at random; sometimes one is replaced by a new page."""
    rng = desk.rng
    pages = [_page(desk, sites) for _ in range(rng.randint(2, 5))]
    tab_count = rng.randint(4, 28)
    is_incognito = rng.random() < 0.01
    while True:
        if rng.random() < 0.11:
            pages[rng.randrange(len(pages))] = _page(desk, sites)
            tab_count = min(max(tab_count + rng.choice((-2, 1, 1)), len(pages)), 60)
        page = rng.choice(pages)
        title = f"({rng.randint(1, 4)}) {page.title}" if page.is_unread_counted and rng.random() < 0.25 else page.title
        tab = Tab(url=page.url, title=title, is_audible=page.is_audible, is_incognito=is_incognito, tab_count=tab_count)
        window_title = f"{title} - {desk.browser_title}"
        yield Scene(app=desk.browser, title=window_title, dwell_s=dwell_s * (4 if page.is_audible else 1), tab=tab)


def _page(desk: Desk, sites: tuple[Site, ...]) -> WebPage:
    return visit(desk.rng.choice(sites), seed=desk.seed, day=desk.day, rng=desk.rng)


def _research(desk: Desk) -> Iterator[Scene]:
    return _browsing(desk, WORK_SITES, dwell_s=7)


def _surfing(desk: Desk) -> Iterator[Scene]:
    return _browsing(desk, HOME_SITES, dwell_s=11)


def _mail(desk: Desk) -> Iterator[Scene]:
    rng = desk.rng
    while True:
        unread = rng.randint(0, 6)
        inbox = f"({unread}) Inbox - robin@example.org" if unread else "Inbox - robin@example.org"
        title = rng.choice((inbox, phrase(rng), f"Write: Re: {phrase(rng)}"))
        yield Scene(app="Thunderbird", title=f"{title} - Mozilla Thunderbird", dwell_s=14)


def _chat(desk: Desk) -> Iterator[Scene]:
    rng = desk.rng
    while True:
        channel = rng.choice((f"#{rng.choice(CHANNELS)} (Channel)", f"{rng.choice(PEOPLE)} (DM)"))
        unread = "* " if rng.random() < 0.2 else ""
        yield Scene(app="Slack", title=f"{unread}{channel} - Orchard - Slack", dwell_s=10)


def _meeting(desk: Desk) -> Iterator[Scene]:
    rng = desk.rng
    title = f"{rng.choice(MEETINGS)} - Zoom Meeting"
    aside = _chat(desk)
    while True:
        yield Scene(app="Zoom", title=title, dwell_s=160)
        if rng.random() < 0.4:
            yield next(aside)


def _writing(desk: Desk) -> Iterator[Scene]:
    rng = desk.rng
    document = f"{phrase(rng)}.odt - LibreOffice Writer"
    note = f"{desk.day.isoformat()} - Notes - Obsidian"
    while True:
        if rng.random() < 0.6:
            yield Scene(app="LibreOffice", title=document, dwell_s=35)
        else:
            yield Scene(app="Obsidian", title=rng.choice((note, f"{subject(rng)} - Notes - Obsidian")), dwell_s=18)


def _drawing(desk: Desk) -> Iterator[Scene]:
    rng = desk.rng
    board = f"{project_of(rng, desk.day).name} {rng.choice(('mobile', 'icons', 'onboarding', 'print'))} - Figma"
    while True:
        yield Scene(app="Figma", title=board, dwell_s=35)
        if rng.random() < 0.3:
            yield Scene(app="Files", title=rng.choice(("Downloads", "Pictures", "Bilder für Später")), dwell_s=9)


def _photos(desk: Desk) -> Iterator[Scene]:
    number = 1 + desk.day.toordinal() * 7 % 9000
    while True:
        number += desk.rng.randint(0, 1)
        yield Scene(app="GIMP", title=f"[DSC_{number:04}] (imported)-1.0 (RGB color) - GIMP", dwell_s=70)


def _gaming(desk: Desk) -> Iterator[Scene]:
    game = desk.rng.choice(GAMES)
    yield Scene(app="Steam", title="Library - Steam", dwell_s=25)
    while True:
        yield Scene(app=game, title=game, dwell_s=700)
        if desk.rng.random() < 0.3:
            yield Scene(app="Discord", title=f"@{desk.rng.choice(PEOPLE)} - Discord", dwell_s=20)


def _music(desk: Desk) -> Iterator[Scene]:
    while True:
        yield Scene(app="Spotify", title=desk.rng.choice(SONGS), dwell_s=35)


# Without the phone's apps, which have packages instead of window titles: see `lanes`.
ACTIVITIES: Final[dict[Mood, tuple[tuple[Activity, ...], tuple[int, ...]]]] = {
    "work": (
        (_coding, _research, _mail, _chat, _meeting, _writing, _drawing, _music),
        (46, 14, 10, 11, 6, 8, 4, 2),
    ),
    "home": (
        (_surfing, _gaming, _coding, _photos, _mail, _music, _writing),
        (48, 14, 14, 7, 7, 5, 4),
    ),
    "out": ((_surfing,), (1,)),
}
