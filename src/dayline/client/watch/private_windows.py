"""Recognizes private windows of browsers, whose titles are not recorded."""

import re
from typing import Final

from dayline.client.watch.desktop import Window

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
