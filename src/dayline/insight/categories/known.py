"""A knowledge base of common apps and sites: which category each one is suggested for.

The names are in known_names.txt. Only query processes import this.
"""

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Final

from msgspec import Struct

from dayline.model.category import Category, Path

# org.gnome.Nautilus, com.slack.Slack: the identifiers of Flatpak and macOS.
_REVERSE_DNS: Final = re.compile(r"(?:[a-z][\w-]*\.){2,}(?=[\w -]+$)")


class KnownName(Struct, frozen=True):
    """The category of a name, and the noun that completes "Slack is a … app"."""

    category: Path
    noun: str

    @property
    def with_article(self) -> str:
        return f"{'an' if self.noun[0] in 'aeiouA' else 'a'} {self.noun}"


class _KnownNames(Struct, frozen=True):
    apps: dict[str, KnownName]
    sites: dict[str, KnownName]
    hosts: dict[str, KnownName]


def known_app(app: str) -> KnownName | None:
    name = app.strip().casefold().removesuffix(".exe")
    apps = _known_names().apps
    return apps.get(name) or apps.get(_REVERSE_DNS.sub("", name, count=1))


def known_site(domain: str) -> KnownName | None:
    """The name of the site itself or, for a subdomain, of the site that it belongs to."""
    labels = domain.strip(".").casefold().split(".")
    sites = _known_names().sites
    return next((known for start in range(len(labels)) if (known := sites.get(".".join(labels[start:])))), None)


def known_host(domain: str) -> KnownName | None:
    """What the first label of a domain suggests, as in mail.example.org."""
    first, _, rest = domain.casefold().partition(".")
    return _known_names().hosts.get(first) if rest else None


def in_categories(known: Path, categories: Sequence[Category]) -> Path:
    """The user's own category of the same name, wherever it is in their tree, or else the one of the knowledge base."""
    name = known[-1].casefold()
    return next((each.name for each in categories if each.name[-1].casefold() == name), known)


@cache
def _known_names() -> _KnownNames:
    names = _KnownNames({}, {}, {})
    by_word = {"app": names.apps, "site": names.sites, "host": names.hosts}
    known: KnownName | None = None
    text = (files("dayline.insight.categories") / "known_names.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        word, _, rest = line.partition(" ")
        if word == "=":
            category, _, noun = rest.partition(": ")
            known = KnownName(tuple(category.split(" > ")), noun)
        elif known is not None and word in by_word:
            by_word[word].update(dict.fromkeys(rest.split(", "), known))
    return names
