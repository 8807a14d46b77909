"""Turns what is observed into heartbeats: for the active window, and for whether the user is away.

Titles of private windows of browsers are not recorded.
Pure, except that results go to a callback. Times are microseconds since 1970.
"""

import re
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from dayline.client.watch.desktop import Window
from dayline.model.time import SECOND, Microseconds

WINDOW_PULSETIME_S: Final = 2.0  # as aw-watcher-window: its poll interval and one second
AWAY_AFTER_S: Final = 180.0  # as aw-watcher-afk
POLL_S: Final = 5.0  # as aw-watcher-afk; its pulse time is the sum of both
AWAY: Final = {"status": "afk"}
PRESENT: Final = {"status": "not-afk"}

_MILLISECOND: Final = SECOND // 1000  # between two states, so that the later one is the bucket's last event

Data: TypeAlias = dict[str, Any]
Record: TypeAlias = Callable[[Data, Microseconds, Microseconds], None]  # data, start, duration
PRIVATE_TITLE: Final = "Private window"

# Parts of WM_CLASS or of Wayland's app_id, in lower case.
_BROWSERS: Final = (
    "firefox", "librewolf", "waterfox", "mullvad", "zen", "navigator", "floorp",
    "chrome", "chromium", "brave", "vivaldi", "opera", "edge", "epiphany", "falkon",
)  # fmt: skip
_ALWAYS_PRIVATE: Final = ("tor browser", "torbrowser", "tor-browser")
# What browsers add to the title of a private window, in the languages that are used most.
_WORDS: Final = (
    "private browsing", "private window", "incognito", "inprivate", "private",
    "privater modus", "privates fenster", "privates surfen", "inkognito", "privat",
    "navigation privée", "fenêtre de navigation privée", "privé", "privée",
    "navegación privada", "modo incógnito", "incógnito", "privada",
    "navegação privativa", "navegação privada", "navegação anônima", "anónima", "anônima",
    "navigazione anonima", "in incognito", "anonima", "privénavigatie", "inkognitomodus", "tryb incognito",
    "prywatne przeglądanie", "приватный просмотр", "инкогнито", "приватний перегляд", "анонимный режим",
    "プライベートブラウジング", "シークレット", "隐私浏览", "无痕模式", "无痕",
    "隱私瀏覽", "無痕式視窗", "사생활 보호 모드", "시크릿 모드",
)  # fmt: skip
_SEPARATOR: Final = re.compile(" [-\u2013\u2014] ")  # browsers use dashes of any length


class WindowState:
    """The active window. Each heartbeat covers the time since the one before, so that nothing has to be polled.

    observe        editor      editor      browser
    heartbeats     [editor     [editor     [editor
                               ]           ][browser
    """

    def __init__(self, record: Record) -> None:
        self._record = record
        self._data: Data | None = None
        self._covered_until: Microseconds = 0

    def observe(self, window: Window | None, now: Microseconds, *, was_suspended: bool = False) -> None:
        """The active window at this time; None if it is unknown. Time in which the computer slept is not recorded."""
        data = None if window is None else {"app": window.app, "title": window.title}
        is_continuous = not was_suspended and now >= self._covered_until  # clocks are set back
        if self._data is not None and is_continuous:
            self._record(self._data, self._covered_until, now - self._covered_until)
        if data is not None and (data != self._data or not is_continuous):
            self._record(data, now, 0)
        self._data, self._covered_until = data, now


class PresenceState:
    """Whether the user is away: after `away_after_s` without input, from the last input on."""

    def __init__(self, record: Record, *, away_after_s: float = AWAY_AFTER_S) -> None:
        self._record = record
        self._away_after = round(away_after_s * SECOND)
        self._was_away: bool | None = None  # None before the first observation, and after sleep
        self._last_input: Microseconds = 0
        self._observed_at: Microseconds = 0

    def observe(self, idle: Microseconds, now: Microseconds, *, was_suspended: bool = False) -> None:
        """The time since the last input, read at this time or a little later."""
        if now < self._observed_at:  # the clock was set back
            self._last_input, self._was_away = 0, None
        if was_suspended:
            # The idle time of X11 does not include sleep, so input before it seems to be later than it was.
            self._last_input, self._was_away = now, None
        # Never back: the idle time is inexact, and a heartbeat before the start of the last event does not extend it.
        self._last_input = last_input = max(now - idle, self._last_input)
        if self._was_away and idle < self._away_after:
            # Input right after the last observation may seem to be before it, where the user is recorded as away.
            self._last_input = last_input = max(last_input, self._observed_at)
        self._observed_at = now
        was_away, self._was_away = self._was_away, idle >= self._away_after
        if was_away is not True and not self._was_away:
            self._record(PRESENT, last_input, 0)
        elif was_away and not self._was_away:
            self._record(AWAY, last_input, 0)
            self._last_input = last_input + _MILLISECOND
            self._record(PRESENT, self._last_input, 0)
        else:
            if was_away is False:
                self._record(PRESENT, last_input, 0)
            self._record(AWAY, last_input + _MILLISECOND, max(0, now - last_input - _MILLISECOND))


def without_private_title(window: Window) -> Window:
    """The window as it may be recorded: a private window of a known browser has no title of its own."""
    return Window(app=window.app, title=PRIVATE_TITLE) if is_private(window) else window


def is_private(window: Window) -> bool:
    """Whether the window is a private window of a known browser."""
    app = window.app.lower()
    if any(name in app for name in _ALWAYS_PRIVATE):
        return True
    if not any(name in app for name in _BROWSERS):
        return False
    # The mark is at the end of the browser's name ("Google Chrome (Incognito)"), or before it ("[InPrivate] - Edge").
    *before, name = (part.strip("[]() ").casefold() for part in _SEPARATOR.split(window.title))
    return name.endswith(_WORDS) or (bool(before) and before[-1] in _WORDS)
