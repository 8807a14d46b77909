"""Titles and websites of the demo data.

Every site has an unlimited number of pages. New ones appear each day and are read most in their first days, like news,
issues and videos; some visits go to old pages.
"""

from collections.abc import Callable
from datetime import date
from random import Random
from typing import Final

from msgspec import Struct

from dayline.demo.words import ENGLISH, OTHER_TONGUES, Tongue

# Share of the phrases; editors and terminals are nearly all ASCII, and a quarter of all titles should not be.
OTHER_TONGUE_SHARE = 0.26


def phrase(rng: Random) -> str:
    """A headline in English or, about one in four, in another language."""
    tongue = tongue_of(rng)
    text = rng.choice(tongue.phrases).format(rng.choice(tongue.subjects))
    return text[0].upper() + text[1:]


def subject(rng: Random) -> str:
    """The subject of a headline, in English."""
    return rng.choice(ENGLISH.subjects)


def tongue_of(rng: Random) -> Tongue:
    """English, or another language for `OTHER_TONGUE_SHARE` of the calls."""
    return rng.choice(OTHER_TONGUES) if rng.random() < OTHER_TONGUE_SHARE else ENGLISH


def slug(text: str) -> str:
    """The text for a URL: ASCII letters and digits with hyphens, or `page` if none are left."""
    kept = "".join(letter if letter.isascii() and letter.isalnum() else " " for letter in text.lower())
    return "-".join(kept.split()) or "page"


NEW_PAGES_A_DAY = 2.0  # for a site of freshness 1
MEAN_AGE_OF_A_PAGE = 6.0  # days, at the time of a visit
OLD_PAGE_SHARE = 0.08
PAGES_BEFORE_THE_FIRST_DAY = 400


class WebPage(Struct, frozen=True, kw_only=True):
    """A page in a browser tab."""

    url: str
    title: str
    is_audible: bool = False
    is_unread_counted: bool = False  # its title may start with a number, as in "(3) Inbox"


class Site(Struct, frozen=True, kw_only=True):
    """A host, the function for its pages by number, and how often it has new ones."""

    host: str
    page: Callable[[Random, int], WebPage]
    freshness: float = 1.0


def visit(site: Site, *, seed: int, day: date, rng: Random) -> WebPage:
    """A page of the site that a user would visit on `day`."""
    newest = PAGES_BEFORE_THE_FIRST_DAY + day.toordinal() % 100_000 * NEW_PAGES_A_DAY * site.freshness
    age = rng.expovariate(1 / MEAN_AGE_OF_A_PAGE) * NEW_PAGES_A_DAY * site.freshness
    if rng.random() < OLD_PAGE_SHARE:
        age *= 30
    number = max(0, int(newest - age))
    # Seeded by the page, so that its content is the same on every visit.
    return site.page(Random(f"{seed}/{site.host}/{number}"), number)


def _documentation(dice: Random, number: int) -> WebPage:
    topic = subject(dice)
    version = f"{1 + number % 4}.{number % 17}"
    title = f"{topic.capitalize()} - Reference {version}"
    return WebPage(url=f"https://docs.example.org/{version}/{slug(topic)}.html", title=title)


def _issue(dice: Random, number: int) -> WebPage:
    kind, path = dice.choice((("Issue", "issues"), ("Pull request", "pulls")))
    title = f"{kind} #{number % 10_000}: {phrase(dice)} - Code"
    return WebPage(url=f"https://code.example.org/orchard/{path}/{number % 10_000}", title=title)


def _wiki(dice: Random, _number: int) -> WebPage:
    title = phrase(dice)
    return WebPage(url=f"https://wiki.example.org/{slug(title)}", title=f"{title} - Wiki")


def _question(dice: Random, number: int) -> WebPage:
    title = f"{subject(dice)} - {phrase(dice)} - Questions"
    return WebPage(url=f"https://questions.example.com/q/{number}", title=title)


def _search(dice: Random, _number: int) -> WebPage:
    words = f"{subject(dice)} {subject(dice)}"
    return WebPage(url=f"https://search.example.com/?q={words.replace(' ', '+')}", title=f"{words} - Search")


def _mail(dice: Random, number: int) -> WebPage:
    title = dice.choice(("Inbox - robin@example.org - Mail", f"{phrase(dice)} - robin@example.org - Mail"))
    return WebPage(url=f"https://mail.example.com/u/0/#inbox/{number}", title=title, is_unread_counted=True)


def _board(dice: Random, number: int) -> WebPage:
    title = f"{phrase(dice)} - Card {number % 5_000} - Board"
    return WebPage(url=f"https://board.example.net/cards/{number % 5_000}", title=title)


def _news(dice: Random, number: int) -> WebPage:
    title = phrase(dice)
    return WebPage(url=f"https://news.example.com/{number}/{slug(title)}", title=f"{title} | The Daily Example")


def _video(dice: Random, number: int) -> WebPage:
    title = f"{phrase(dice)} [{dice.randint(1, 59)}:{dice.randint(0, 59):02}] - Video"
    return WebPage(url=f"https://video.example.net/watch?v={number:08x}", title=title, is_audible=True,
                is_unread_counted=number % 3 == 0)  # fmt: skip


def _recipe(dice: Random, number: int) -> WebPage:
    title = phrase(dice)
    return WebPage(url=f"https://recipes.example.com/{slug(title)}-{number}", title=f"{title} - Recipes")


def _shop(dice: Random, number: int) -> WebPage:
    topic = subject(dice)
    title = f"{topic.capitalize()}: from {dice.randint(4, 90)}.{dice.randint(0, 99):02} - Shop"
    return WebPage(url=f"https://shop.example.com/item/{number}?ref={slug(topic)}", title=title)


def _forum(dice: Random, number: int) -> WebPage:
    title = f"{phrase(dice)} - page {1 + number % 7} - Forum"
    return WebPage(
        url=f"https://forum.example.net/t/{number}?page={1 + number % 7}", title=title, is_unread_counted=True
    )


def _map(dice: Random, _number: int) -> WebPage:
    place = dice.choice(("Old Harbour", "Mill Lane", "Östermalm", "North Station", "Café Линден", "植物園", "Tern Bay"))
    at = f"{dice.randint(4000, 5999) / 100},{dice.randint(100, 1999) / 100}"
    return WebPage(url=f"https://maps.example.org/@{at}", title=f"{place} - Maps")


WORK_SITES: Final = (
    Site(host="docs.example.org", page=_documentation, freshness=0.5),
    Site(host="code.example.org", page=_issue, freshness=2.0),
    Site(host="wiki.example.org", page=_wiki, freshness=0.5),
    Site(host="questions.example.com", page=_question, freshness=1.5),
    Site(host="search.example.com", page=_search),
    Site(host="mail.example.com", page=_mail, freshness=1.5),
    Site(host="board.example.net", page=_board),
)

HOME_SITES: Final = (
    Site(host="news.example.com", page=_news, freshness=2.0),
    Site(host="video.example.net", page=_video, freshness=1.5),
    Site(host="recipes.example.com", page=_recipe, freshness=0.3),
    Site(host="shop.example.com", page=_shop),
    Site(host="forum.example.net", page=_forum, freshness=1.5),
    Site(host="mail.example.com", page=_mail, freshness=1.5),
    Site(host="maps.example.org", page=_map, freshness=0.3),
)
