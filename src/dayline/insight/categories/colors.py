"""What a color is, and the color in which every category and project is displayed. The page and terminals use these."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import atan2, cbrt, cos, hypot, sin
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from dayline.model.category import PALETTE, Category, Path
from dayline.model.errors import Invalid

Theme: TypeAlias = Literal["light", "dark", "terminal"]
_Rgb: TypeAlias = tuple[float, float, float]

# Distinguishable in both themes, also with color vision deficiencies. app.css has the same; a test compares them.
HUES: Final[dict[str, tuple[str, str]]] = dict(
    zip(
        PALETTE,
        (
            ("#315cbf", "#769ff2"),
            ("#7c560d", "#c68d24"),
            ("#309e8b", "#66e9cf"),
            ("#bf4354", "#ed9a9f"),
            ("#988f02", "#dcd67c"),
            ("#9677e4", "#c6b7fa"),
            ("#0a4f6f", "#1279a7"),
            ("#800e10", "#af554c"),
        ),
        strict=True,
    )
)
# Names that other programs may have written, and what they are displayed as. Requests do not accept them.
OTHER_NAMES: Final = {
    "brown": "bronze", "orange": "bronze", "green": "teal", "red": "maroon", "pink": "rose", "yellow": "gold",
    "purple": "violet",
}  # fmt: skip
_BACKGROUNDS: Final[dict[Theme, tuple[str, ...]]] = {
    "light": ("#ffffff",),
    "dark": ("#171b22",),
    "terminal": ("#000000", "#ffffff"),
}
_HEX: Final = re.compile(r"#(?:[0-9a-f]{3}|[0-9a-f]{6})", re.IGNORECASE)
_MIN_CONTRAST: Final = 3.0  # WCAG 2, for graphics
_STEP: Final = 0.02  # of lightness


class DisplayColors(Struct, frozen=True, kw_only=True):
    """The color to display, as `#rrggbb`: in the light and the dark theme, and on terminals of any background."""

    light: str
    dark: str
    terminal: str


def check_color(color: str | None, field: str) -> None:
    """Raise Invalid, naming the field, unless it is a color."""
    if color is None or color in PALETTE or _HEX.fullmatch(color):
        return
    raise Invalid(
        f"{field}: {color!r} is not a color",
        hint=f"write it as #rrggbb, or as one of {', '.join(PALETTE)}",
        field=field,
    )


def category_colors(categories: Sequence[Category]) -> list[DisplayColors]:
    """The color of each category, in the order of the list.

    Categories at the top have the colors of the palette in turn, and those below a variation of the color above them.
    """
    light, dark, terminal = (_in_theme(categories, theme) for theme in ("light", "dark", "terminal"))
    return [
        DisplayColors(light=light[each.name], dark=dark[each.name], terminal=terminal[each.name]) for each in categories
    ]


def project_colors(chosen: Iterable[str | None]) -> list[DisplayColors]:
    """The color of each project, from the colors that were chosen: without one, those of the palette in turn."""
    return [
        DisplayColors(
            light=_color(color, number, "light"),
            dark=_color(color, number, "dark"),
            terminal=_color(color, number, "terminal"),
        )
        for number, color in enumerate(chosen)
    ]


def _in_theme(categories: Sequence[Category], theme: Theme) -> dict[Path, str]:
    colors: dict[Path, str] = {}
    tops: dict[str, int] = {}
    below: dict[Path, int] = {}
    for each in sorted(categories, key=lambda category: len(category.name)):
        number = tops.setdefault(each.name[0], len(tops))
        parent = next(
            (colors[each.name[:end]] for end in range(len(each.name), 0, -1) if each.name[:end] in colors), None
        )
        if parent is None or (each.color and _chosen(each.color, theme)):
            colors[each.name] = _color(each.color, number, theme)
        else:
            count = below[each.name[:-1]] = below.get(each.name[:-1], 0) + 1
            colors[each.name] = _variation(parent, count, theme)
    return colors


def _color(color: str | None, number: int, theme: Theme) -> str:
    return (color and _chosen(color, theme)) or _hue(PALETTE[number % len(PALETTE)], theme)


def _chosen(text: str, theme: Theme) -> str | None:
    """The color that a user or another program has written; None if it is not a color."""
    name = text.strip().lower()
    name = OTHER_NAMES.get(name, name)
    if name in HUES:
        return _hue(name, theme)
    return _readable(_parsed(name), theme) if _HEX.fullmatch(name) else None


def _hue(name: str, theme: Theme) -> str:
    light, dark = HUES[name]
    return {"light": light, "dark": dark, "terminal": _readable(_parsed(light), "terminal")}[theme]


@lru_cache(maxsize=4096)
def _variation(parent: str, count: int, theme: Theme) -> str:
    """Alternately a little lighter and darker than the parent."""
    amount = 0.06 * ((count + 1) // 2) * (1 if count % 2 else -1)
    lightness, chroma, hue = _to_oklch(_parsed(parent))
    varied = min(1.0, max(0.0, lightness + max(-0.18, min(0.18, amount))))
    return _readable(_from_oklch((varied, chroma, hue)), theme)


@lru_cache(maxsize=4096)
def _readable(rgb: _Rgb, theme: Theme) -> str:
    """The color, darker or lighter if necessary: the nearest with enough contrast to the background."""
    backgrounds = [_luminance(_parsed(each)) for each in _BACKGROUNDS[theme]]
    lightness, chroma, hue = _to_oklch(rgb)
    candidate = rgb
    for step in range(1, int(1 / _STEP) + 1):
        if all(_contrast(_luminance(candidate), each) >= _MIN_CONTRAST for each in backgrounds):
            break
        darker = _from_oklch((max(0.0, lightness - step * _STEP), chroma, hue))
        lighter = _from_oklch((min(1.0, lightness + step * _STEP), chroma, hue))
        candidate = max(
            darker, lighter, key=lambda each: min(_contrast(_luminance(each), ground) for ground in backgrounds)
        )
    return "#" + "".join(f"{round(min(255.0, max(0.0, part))):02x}" for part in candidate)


def _parsed(color: str) -> _Rgb:
    digits = color[1:] if len(color) == 7 else "".join(digit * 2 for digit in color[1:])
    return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:], 16)


def _contrast(one: float, other: float) -> float:
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)


def _luminance(rgb: _Rgb) -> float:
    red, green, blue = map(_linear, rgb)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _to_oklch(rgb: _Rgb) -> _Rgb:
    r, g, b = map(_linear, rgb)
    long = cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
    medium = cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
    short = cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
    lightness = 0.2104542553 * long + 0.793617785 * medium - 0.0040720468 * short
    green_red = 1.9779984951 * long - 2.428592205 * medium + 0.4505937099 * short
    blue_yellow = 0.0259040371 * long + 0.7827717662 * medium - 0.808675766 * short
    return lightness, hypot(green_red, blue_yellow), atan2(blue_yellow, green_red)


def _from_oklch(color: _Rgb) -> _Rgb:
    lightness, chroma, hue = color
    a, b = chroma * cos(hue), chroma * sin(hue)
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
    return (
        _display(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short),
        _display(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short),
        _display(-0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short),
    )


def _linear(part: float) -> float:
    share = part / 255
    return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4


def _display(part: float) -> float:
    share = min(1.0, max(0.0, part))
    return 255 * (12.92 * share if share <= 0.0031308 else 1.055 * share ** (1 / 2.4) - 0.055)
