"""The query that the existing web UI sends for its activity view, with 37 category rules."""

import json
from collections.abc import Sequence
from typing import Any, Final

WEB_BUCKET: Final = "aw-watcher-web-firefox_host"
AFK_BUCKET: Final = "aw-watcher-afk_host"

# Category, pattern, and whether letter case matters: kinds and lengths as in people's own rules.
_RULES: Final[Sequence[tuple[str, str, bool]]] = (
    ("Work", r"Google Docs|libreoffice|ReText|Overleaf", True),
    ("Work > Programming", r"GitHub|Stack Overflow|BitBucket|Gitlab|vim|Spyder|kate|Ghidra|Scite|Code", True),
    ("Work > Programming > Terminal", r"Terminal|konsole|alacritty|xterm", True),
    ("Work > Programming > Docs", r"docs\.python\.org|readthedocs|rust-lang", True),
    ("Work > Programming > Review", r"Pull Request|Merge Request|\bdiff\b", True),
    ("Work > Programming > Dayline", r"dayline|activity ?watch|aw-[a-z]+", False),
    ("Work > Image", r"Gimp|Inkscape|Figma", True),
    ("Work > Video", r"Kdenlive|DaVinci", True),
    ("Work > Audio", r"Audacity|Ardour", True),
    ("Work > 3D", r"Blender|FreeCAD", True),
    ("Work > Writing", r"Obsidian|word1[0-9]{2}\b", True),
    ("Work > Planning", r"calendar\.google|Jira|Trello|word2[0-4]{2}\b", True),
    ("Work > Meetings", r"Zoom|Teams|Jitsi", True),
    ("Work > API", r"Postman|Insomnia|curl", True),
    ("Work > Office", r"LibreOffice|Excel|Writer", True),
    ("Work > Admin", r"(?i)invoice|tax(es)?|word3999", True),
    ("Media", r"Spotify|Deezer", False),
    ("Media > Games", r"Minecraft|RimWorld|Steam", True),
    ("Media > Video", r"YouTube|Plex|VLC|youtube\.com", True),
    ("Media > Social Media", r"reddit|Facebook|Twitter|Instagram|devRant", False),
    ("Media > Social Media > Boards", r"news\.ycombinator|lobste\.rs", False),
    ("Media > Music", r"Spotify|Rhythmbox|(слово)17[0-9]", False),
    ("Media > Reading", r"wikipedia|Kindle|word9[0-9]9", False),
    ("Comms", r"Messages|Chat", True),
    ("Comms > IM", r"Messenger|Telegram|Signal|WhatsApp|Rambox|Slack|Riot|Element|Discord|Nheko", True),
    ("Comms > Email", r"Gmail|Thunderbird|mutt|alpine|mail\.google", True),
    ("Comms > Calls", r"Zoom Meeting|Skype|^Call with ", True),
    ("Study", r"Coursera|Khan|edX", False),
    ("Study > Languages", r"Duolingo|Anki|(слово)2[0-9]{3}", True),
    ("Study > Maths", r"WolframAlpha|GeoGebra|word31[0-9]", True),
    ("Home", r"Files|Nautilus|Finder", True),
    ("Home > Finance", r"bank|GnuCash|word40\b", False),
    ("Home > Shopping", r"amazon|ebay|word41\b", False),
    ("Home > Travel", r"maps|trip|hotel|word42\b", False),
    ("Home > Health", r"fitness|clinic|word43\b", False),
    ("System", r"^Settings|Update Manager|\bsudo\b", True),
    ("Search", r"Search - |DuckDuckGo|word50\b.*word5", True),
)
_FIREFOX_APPS: Final = ["Firefox", "Firefox.exe", "firefox", "Firefox Developer Edition", "Navigator"]
_FIREFOX_PATTERN: Final = r"(?i)^(mozilla[-_ ]?)?firefox([-_ ]?(esr|nightly|beta))?(\.exe)?$"

# What the page shows of `events`, on one computer or on several.
WINDOW_GROUPS: Final = (
    'title_events = sort_by_duration(merge_events_by_keys(events, ["app", "title"]));',
    'app_events = sort_by_duration(merge_events_by_keys(title_events, ["app"]));',
    'cat_events = sort_by_duration(merge_events_by_keys(events, ["$category"]));',
    "app_events = limit_events(app_events, 100);",
    "title_events = limit_events(title_events, 100);",
    "duration = sum_durations(events);",
)


def category_rules() -> list[list[Any]]:
    """The rules as pairs of a category path and a rule."""
    return [
        [name.split(" > "), {"type": "regex", "regex": pattern, "ignore_case": not minds_case}]
        for name, pattern, minds_case in _RULES
    ]


def in_source_form(rules: Sequence[Sequence[Any]]) -> str:
    """Rules as the web UI writes them into a program: JSON, with every doubled backslash made a single one."""
    return json.dumps(rules, ensure_ascii=False).replace("\\\\", "\\")


def desktop_query(
    *, window: str, afk: str, web: str, rules: Sequence[Sequence[Any]], is_audible_active: bool = True
) -> list[str]:
    """The program, a statement a line: `events`, `not_afk` and `browser_events`, then all that the view shows."""
    audible = [
        'audible_events = filter_keyvals(browser_events, "audible", [true]);',
        "not_afk = period_union(not_afk, audible_events);",
    ]
    return [
        f'events = flood(query_bucket("{window}"));',
        f'not_afk = flood(query_bucket("{afk}"));',
        'not_afk = filter_keyvals(not_afk, "status", ["not-afk"]);',
        "browser_events = [];",
        f'events_firefox = flood(query_bucket("{web}"));',
        f'window_firefox = filter_keyvals(events, "app", {json.dumps(_FIREFOX_APPS)});',
        f'window_firefox_regex = filter_keyvals_regex(events, "app", "{_FIREFOX_PATTERN}");',
        "window_firefox = concat(window_firefox, window_firefox_regex);",
        "window_firefox = sort_by_timestamp(window_firefox);",
        "events_firefox = filter_period_intersect(events_firefox, window_firefox);",
        "events_firefox = split_url_events(events_firefox);",
        "browser_events = concat(browser_events, events_firefox);",
        "browser_events = sort_by_timestamp(browser_events);",
        *(audible if is_audible_active else ()),
        "events = filter_period_intersect(events, not_afk);",
        "stopwatch_events = [];",
        f"events = categorize(events, {in_source_form(rules)});",
        *WINDOW_GROUPS,
        "browser_events = split_url_events(browser_events);",
        'browser_urls = sort_by_duration(merge_events_by_keys(browser_events, ["url"]));',
        "browser_urls = limit_events(browser_urls, 100);",
        'browser_domains = sort_by_duration(merge_events_by_keys(browser_events, ["$domain"]));',
        "browser_domains = limit_events(browser_domains, 100);",
        'browser_titles = sort_by_duration(merge_events_by_keys(browser_events, ["title"]));',
        "browser_titles = limit_events(browser_titles, 100);",
        "browser_duration = sum_durations(browser_events);",
        'stopwatch_events = merge_events_by_keys(stopwatch_events, ["label"]);',
        'RETURN = {"window": {"app_events": app_events, "title_events": title_events, "cat_events": cat_events, '
        '"active_events": not_afk, "duration": duration}, "browser": {"domains": browser_domains, '
        '"urls": browser_urls, "titles": browser_titles, "duration": browser_duration}, '
        '"stopwatch": {"stopwatch_events": stopwatch_events}};',
    ]  # fmt: skip
