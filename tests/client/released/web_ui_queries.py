"""The programs that the existing web UI sends, a statement an element, written as it writes them."""

from collections.abc import Sequence
from typing import Any, Final

from benchmarks.desktop_query import WINDOW_GROUPS, category_rules, in_source_form

BROWSERS: Final = {
    "firefox": (["Firefox", "firefox", "Firefox.exe", "Navigator"], r"(?i)^(mozilla[-_ ]?)?firefox(\.exe)?$"),
    "chrome": (
        ["Google Chrome", "Google-chrome", "chrome.exe"],
        r"(?i)^(google[-_ ]?)?chrom(e|ium)([-_ ].*)?(\.exe)?$",
    ),
}


def canonical_events(
    host: str,
    *,
    rules: Sequence[Sequence[Any]],
    browser: str | None = None,
    stopwatch: str | None = None,
    always_active: str = "",
    categories: str | None = None,
) -> list[str]:
    """Window events in the time that the person was there, with their category; and what the browser showed then."""
    lines = [
        f'events = flood(query_bucket(find_bucket("aw-watcher-window_{host}")));',
        f'not_afk = flood(query_bucket(find_bucket("aw-watcher-afk_{host}")));',
        'not_afk = filter_keyvals(not_afk, "status", ["not-afk"]);',
    ]
    if always_active:
        for number, key in enumerate(("app", "title")):
            lines += [
                f'always_active_{number} = filter_keyvals_regex(events, "{key}", "{always_active}");',
                f"not_afk = period_union(not_afk, always_active_{number});",
            ]
    if browser is not None:
        lines += ["browser_events = [];", *_browser_events(host, browser)]
        lines += [
            'audible_events = filter_keyvals(browser_events, "audible", [true]);',
            "not_afk = period_union(not_afk, audible_events);",
        ]
    lines.append("events = filter_period_intersect(events, not_afk);")
    if stopwatch is not None:
        lines += [
            f'stopwatch_events = query_bucket("{stopwatch}");',
            "events = union_no_overlap(stopwatch_events, events);",
        ]
    lines.append(f"events = categorize(events, {in_source_form(rules)});")
    if categories is not None:
        lines.append(f'events = filter_keyvals(events, "$category", {categories});')
    return lines


def _browser_events(host: str, browser: str) -> list[str]:
    apps, pattern = BROWSERS[browser]
    names = ", ".join(f'"{app}"' for app in apps)
    return [
        f'events_{browser} = flood(query_bucket("aw-watcher-web-{browser}_{host}"));',
        f'window_{browser} = filter_keyvals(events, "app", [{names}]);',
        f'window_{browser}_regex = filter_keyvals_regex(events, "app", "{pattern}");',
        f"window_{browser} = concat(window_{browser}, window_{browser}_regex);",
        f"window_{browser} = sort_by_timestamp(window_{browser});",
        f"events_{browser} = filter_period_intersect(events_{browser}, window_{browser});",
        f"events_{browser} = split_url_events(events_{browser});",
        f"browser_events = concat(browser_events, events_{browser});",
        "browser_events = sort_by_timestamp(browser_events);",
    ]


_WINDOW: Final = (
    '{"app_events": app_events, "title_events": title_events, "cat_events": cat_events, '
    '"active_events": not_afk, "duration": duration}'
)


def full_desktop(host: str, *, browser: str, stopwatch: str) -> list[str]:
    """The activity view of a computer."""
    return [
        *canonical_events(
            host, rules=category_rules(), browser=browser, stopwatch=stopwatch, always_active="Zoom|Teams"
        ),
        *WINDOW_GROUPS,
        "browser_events = split_url_events(browser_events);",
        'browser_urls = limit_events(sort_by_duration(merge_events_by_keys(browser_events, ["url"])), 100);',
        'browser_domains = limit_events(sort_by_duration(merge_events_by_keys(browser_events, ["$domain"])), 100);',
        'browser_titles = limit_events(sort_by_duration(merge_events_by_keys(browser_events, ["title"])), 100);',
        "browser_duration = sum_durations(browser_events);",
        'stopwatch_events = sort_by_duration(merge_events_by_keys(stopwatch_events, ["label"]));',
        f'RETURN = {{"window": {_WINDOW}, '
        '"browser": {"domains": browser_domains, "urls": browser_urls, "titles": browser_titles, '
        '"duration": browser_duration}, "stopwatch": {"stopwatch_events": stopwatch_events}};',
    ]


def multi_device(hosts: Sequence[str]) -> list[str]:
    """The activity view of several computers at once."""
    lines: list[str] = []
    for host in hosts:
        lines += canonical_events(host, rules=category_rules())
        lines += [f"events_{host} = events;", f"not_afk_{host} = not_afk;"]
    lines += ["events = [];", "not_afk = [];"]
    for host in hosts:
        lines += [
            f"events = union_no_overlap(events, events_{host});",
            f"not_afk = union_no_overlap(not_afk, not_afk_{host});",
        ]
    return [*lines, *WINDOW_GROUPS, f'RETURN = {{"window": {_WINDOW}}};']


def android(bucket_id: str) -> list[str]:
    """The activity view of a phone."""
    return [
        f'events = flood(query_bucket("{bucket_id}"));',
        'events = merge_events_by_keys(events, ["app", "title"]);',
        f"events = categorize(events, {in_source_form(category_rules())});",
        'title_events = sort_by_duration(merge_events_by_keys(events, ["app", "classname", "title"]));',
        'app_events = sort_by_duration(merge_events_by_keys(title_events, ["app"]));',
        'cat_events = sort_by_duration(merge_events_by_keys(events, ["$category"]));',
        "app_events = limit_events(app_events, 100);",
        "title_events = limit_events(title_events, 100);",
        "duration = sum_durations(events);",
        'RETURN = {"app_events": app_events, "title_events": title_events, "cat_events": cat_events, '
        '"duration": duration, "active_events": events};',
    ]


def active_history(afk_buckets: Sequence[str]) -> list[str]:
    """How long someone was there, in one event."""
    lines = ["not_afk = [];"]
    for bucket_id in afk_buckets:
        lines += [
            f'not_afk_curr = query_bucket("{bucket_id}");',
            'not_afk_curr = filter_keyvals(not_afk_curr, "status", ["not-afk"]);',
            "not_afk = union_no_overlap(not_afk, not_afk_curr);",
        ]
    return [*lines, 'not_afk = merge_events_by_keys(not_afk, ["status"]);', "RETURN = not_afk;"]


def editor(bucket_ids: Sequence[str]) -> list[str]:
    """What was edited."""
    lines = ["events = [];"]
    lines += [f'events = concat(events, flood(query_bucket("{bucket_id}")));' for bucket_id in bucket_ids]
    return [
        *lines,
        'files = sort_by_duration(merge_events_by_keys(events, ["file", "language"]));',
        'languages = sort_by_duration(merge_events_by_keys(events, ["language"]));',
        'projects = sort_by_duration(merge_events_by_keys(events, ["project"]));',
        "duration = sum_durations(events);",
        'RETURN = {"files": files, "languages": languages, "projects": projects, "duration": duration};',
    ]


def search(host: str, pattern: str) -> list[str]:
    """The events in which a pattern is found: one category made for it, and only its events."""
    rules = [[["searched"], {"type": "regex", "regex": pattern, "ignore_case": True}]]
    return [*canonical_events(host, rules=rules, categories='[["searched"]]'), "RETURN = events;"]


def category_builder(host: str) -> list[str]:
    """The longest events that no rule takes."""
    return [
        *canonical_events(host, rules=category_rules(), categories='[["Uncategorized"]]'),
        "RETURN = limit_events(sort_by_duration(events), 1000);",
    ]


def work_report(hosts: Sequence[str]) -> list[str]:
    """Hours of some categories on several computers, as one text."""
    lines = ["events = [];"]
    for number, host in enumerate(hosts):
        lines += [
            f'events_{number} = flood(query_bucket("aw-watcher-window_{host}"));',
            f'afk_{number} = filter_keyvals(flood(query_bucket("aw-watcher-afk_{host}")), "status", ["not-afk"]);',
            f"events_{number} = filter_period_intersect(events_{number}, afk_{number});",
            f"events_{number} = categorize(events_{number}, {in_source_form(category_rules())});",
            f'events_{number} = filter_keyvals(events_{number}, "$category", [["Work", "Programming"], ["Work"]]);',
            f"events = union_no_overlap(events, events_{number});",
        ]
    lines += ["duration = sum_durations(events);", 'RETURN = {"events": events, "duration": duration};']
    return ["\n".join(lines)]
