"""Private windows of known browsers are recorded without their title."""

import pytest

from dayline.client.watch.desktop import Window
from dayline.client.watch.desktops.kwin import reported_window
from dayline.client.watch.states import PRIVATE_TITLE, without_private_title

PRIVATE = [
    ("firefox", "Clinic \N{EM DASH} Mozilla Firefox Private Browsing"),
    ("Firefox", "Clinic - Mozilla Firefox (Private Browsing)"),
    ("firefox", "Mozilla Firefox Private Browsing"),
    ("firefox", "Klinik \N{EM DASH} Mozilla Firefox Privater Modus"),
    ("Navigator", "Clinique \N{EM DASH} Navigation privée de Mozilla Firefox \N{EM DASH} Navigation privée"),
    ("Google-chrome", "Clinic - Google Chrome (Incognito)"),
    ("Chromium-browser", "Klinik - Chromium (Inkognito)"),
    ("Brave-browser", "Clinic - Brave (Private)"),
    ("Brave-browser", "Clinic - Private - Brave"),
    ("Microsoft-edge", "Clinic - [InPrivate] - Microsoft Edge"),
    ("Microsoft-edge", "Clinic - [InPrivate] - Microsoft\N{ZERO WIDTH SPACE} Edge"),
    ("Vivaldi-stable", "Clinic - Vivaldi [Private]"),
    ("Tor Browser", "Clinic"),
]
ORDINARY = [
    ("firefox", "Clinic \N{EM DASH} Mozilla Firefox"),
    ("Google-chrome", "Incognito mode - Wikipedia - Google Chrome"),
    ("Google-chrome", "How private is private browsing? - Google Chrome"),
    ("Code", "private - project - Visual Studio Code"),
    ("Alacritty", "Incognito"),
    ("unknown", ""),
]


@pytest.mark.parametrize(("app", "title"), PRIVATE)
def test_a_private_window_has_no_title(app: str, title: str) -> None:
    assert without_private_title(Window(app, title)) == Window(app, PRIVATE_TITLE)


@pytest.mark.parametrize(("app", "title"), ORDINARY)
def test_an_ordinary_window_keeps_its_title(app: str, title: str) -> None:
    assert without_private_title(Window(app, title)) == Window(app, title)


@pytest.mark.parametrize(
    "added", [" <2>", " <13>\u200e", " <@laptop>\u200e", " <@laptop>\u200e <2>\u200e", " {Meta+1}", " {Meta+1} <2>"]
)
def test_what_kwin_adds_to_a_title_does_not_hide_a_private_window(added: str) -> None:
    window = reported_window("firefox", f"Clinic \N{EM DASH} Mozilla Firefox Private Browsing{added}")

    assert without_private_title(window) == Window("firefox", PRIVATE_TITLE)
