"""The knowledge base of apps and sites, and how much of invented activity it sorts."""

from importlib.resources import files

import pytest

from dayline.insight.categories.model import SuggestionKind
from dayline.insight.categories.suggest import in_categories, known_app, known_host, known_site, proposed_category
from dayline.model.category import Category

_LINES = [
    line
    for line in (files("dayline.insight.categories") / "known_names.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]


def names(word: str) -> list[str]:
    return [
        name for line in _LINES if line.startswith(f"{word} ") for name in line.removeprefix(f"{word} ").split(", ")
    ]


@pytest.mark.parametrize("word", ["app", "site", "host"])
def test_every_name_is_listed_once_in_the_form_that_is_looked_up(word: str) -> None:
    listed = names(word)

    assert len(listed) == len(set(listed))
    assert [name for name in listed if name != name.strip().casefold() or not name or "/" in name] == []


def test_every_line_is_a_category_or_a_list_of_names() -> None:
    assert [line for line in _LINES if line.split(" ")[0] not in {"=", "app", "site", "host"}] == []
    assert [line for line in _LINES if line.startswith("=") and ": " not in line] == []


def test_every_listed_name_is_known() -> None:
    assert [name for name in names("app") if known_app(name) is None] == []
    assert [name for name in names("site") if known_site(name) is None] == []
    assert [name for name in names("host") if known_host(f"{name}.example.org") is None] == []


@pytest.mark.parametrize("app", ["Slack", "slack.exe", "SLACK.EXE", "com.slack.Slack", " Slack "])
def test_an_app_is_known_by_each_name_that_systems_give_it(app: str) -> None:
    known = known_app(app)

    assert known is not None
    assert known.category == ("Communication", "Chat")


@pytest.mark.parametrize("app", ["", "Gartenplan", "org.example.Gartenplan", "slackware"])
def test_an_unknown_app_has_no_category(app: str) -> None:
    assert known_app(app) is None


def test_a_subdomain_belongs_to_its_site_unless_it_is_listed_itself() -> None:
    video, music = known_site("m.youtube.com"), known_site("music.youtube.com")

    assert video is not None
    assert music is not None
    assert (video.category, music.category) == (("Leisure", "Video"), ("Leisure", "Music"))
    assert known_site("notyoutube.com") is None
    assert known_site("youtube.com.example.org") is None


@pytest.mark.parametrize(
    ("kind", "value", "category", "reason"),
    [
        ("app", "Slack", ("Communication", "Chat"), "Slack is a chat app"),
        ("app", "Word", ("Work", "Documents"), "Word is an office app"),
        ("domain", "news.ycombinator.com", ("Leisure", "News"), "news.ycombinator.com is a news site"),
        (
            "domain", "mail.example.org", ("Communication", "Mail"),
            "an address that starts with “mail.” is usually a mail site",
        ),
        (
            "domain", "garden.example.org", ("Example",),
            "you spent time on this site, and no rule matches it",
        ),
        ("word", "invoice", ("Invoice",), "several titles without a category contain this word"),
    ],
)  # fmt: skip
def test_every_suggestion_gives_its_reason(kind: str, value: str, category: tuple[str, ...], reason: str) -> None:
    assert proposed_category(kind, value, ())[:2] == (category, reason)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "value", "code", "topic"),
    [
        ("app", "code", "known_app", "programming"),
        ("domain", "news.ycombinator.com", "known_site", "news"),
        ("domain", "mail.example.org", "known_host", "mail"),
        ("domain", "garden.example.org", "domain", None),
        ("app", "Gartenplan", "app", None),
        ("word", "invoice", "word", None),
    ],
)
def test_the_reason_is_also_a_code_with_a_topic(kind: SuggestionKind, value: str, code: str, topic: str | None) -> None:
    proposal = proposed_category(kind, value, ())

    assert (proposal.code, proposal.topic) == (code, topic)


def test_a_category_of_the_same_name_is_used_where_the_user_has_put_it() -> None:
    mine = Category(id=1, name=("Private", "Media", "video"))

    assert in_categories(("Leisure", "Video"), [mine]) == mine.name
    assert in_categories(("Leisure", "Music"), [mine]) == ("Leisure", "Music")
