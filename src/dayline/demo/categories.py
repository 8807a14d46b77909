"""Category rules that fit the demo's apps and pages, in the shape of the setting `classes`."""

from typing import Any, Final

# Name, colour and pattern; the pattern is looked for in the app and the title of a window.
_RULES: Final[tuple[tuple[tuple[str, ...], str, str | None], ...]] = (
    (("Work",), "#3f7fbf", r"- Board( -|$)"),
    (("Work", "Code"), "#2f6fdf", r"^(Code|Terminal)$|- (Code|Questions)( -|$)|- Reference [0-9.]+( -|$)"),
    (("Work", "Meetings"), "#7a5fd0", r"^Zoom$"),
    (("Work", "Writing"), "#3f9f9f", r"^(LibreOffice|Obsidian)$"),
    (("Work", "Design"), "#bf5fb0", r"^Figma$"),
    (("Work", "Research"), "#5f9fd0", r"- (Wiki|Search)( -|$)"),
    (("Communication",), "#d0953f", None),
    (("Communication", "Mail"), "#d0a53f", r"^(Thunderbird|K-9 Mail)$|robin@example\.org - Mail"),
    (("Communication", "Chat"), "#d0803f", r"^(Slack|Signal|Discord)$"),
    (("Media",), "#d05f6f", r"^GIMP$|^Camera$|^YouTube$|- Video( -|$)"),
    (("Media", "Music"), "#5faf6f", r"^(Spotify|AntennaPod)$"),
    (("Media", "Games"), "#8faf3f", r"^(Steam|Rail Garden|Tiny Archipelago|Lantern Keeper|Hexfield|星の郵便局)$"),
    (("Media", "Reading"), "#bf7f5f", r"\| The Daily Example|- Forum( -|$)"),
    (("Errands",), "#8f8f8f", r"- (Shop|Recipes|Maps)( -|$)|^(Maps|Calendar|Clock)$"),
)


def demo_classes() -> list[dict[str, Any]]:
    """The value of the setting, as the existing web UI writes it."""
    return [
        {
            "id": number,
            "name": list(name),
            "rule": {"type": "none"} if pattern is None else {"type": "regex", "regex": pattern, "ignore_case": False},
            "data": {"color": colour},
        }
        for number, (name, colour, pattern) in enumerate(_RULES)
    ]
