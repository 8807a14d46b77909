"""Text for a terminal: pieces with a style, how wide they are, and what must not reach a terminal at all."""

import re
from collections.abc import Iterable
from typing import Final, Literal, NamedTuple, TypeAlias

Align: TypeAlias = Literal["left", "right"]

ELLIPSIS: Final = "…"
# Control characters, and those that turn the direction of text: a window's title may hold any of them, and a terminal
# would do what they say.
_HARMLESS: Final = {
    **dict.fromkeys((*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)), "\ufffd"),
    **dict.fromkeys((0x09, 0x0A, 0x0D, 0x2028, 0x2029), " "),
}


# Latin, Greek and Cyrillic letters, punctuation, arrows and the signs of our own charts take one column each. wcwidth
# measures everything else: loading it takes longer than most commands do.
NARROW: Final = re.compile(
    "[ -~\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0482\u2010-\u2027\u2190-\u2193\u2500-\u25a9\u25b2\u25bc\u25cb-\u25cf]*"
)


class Span(NamedTuple):
    """A piece of text. The style is made of words: bold, dim, a colour by its name or as #rrggbb."""

    text: str
    style: str = ""


Line: TypeAlias = tuple[Span, ...]


def clean(text: str) -> str:
    """A text that somebody else has written, as one line without what a terminal would obey."""
    return text.translate(_HARMLESS)


def line(*parts: str | Span | Line) -> Line:
    """A line from its parts."""
    spans: list[Span] = []
    for part in parts:
        if isinstance(part, str):
            spans.append(Span(part))
        elif isinstance(part, Span):
            spans.append(part)
        else:
            spans.extend(part)
    return tuple(spans)


def width_of(text: str) -> int:
    """How many columns a text takes."""
    if NARROW.fullmatch(text):
        return len(text)
    from wcwidth import width

    return width(text, control_codes="ignore")


def width_of_line(spans: Iterable[Span]) -> int:
    """How many columns a line takes."""
    return sum(width_of(span.text) for span in spans)


def cut(text: str, width: int) -> str:
    """The text, or as much of it as there is room for, and dots."""
    if width_of(text) <= width:
        return text
    left, kept = width - 1, 0
    for character in _characters(text):
        left -= width_of(character)
        if left < 0:
            break
        kept += len(character)
    return f"{text[:kept].rstrip()}{ELLIPSIS}" if width > 0 else ""


def cut_line(spans: Line, width: int) -> Line:
    """The same for a line."""
    kept: list[Span] = []
    left = width
    for position, span in enumerate(spans):
        rest = width_of_line(spans[position + 1 :])
        taken = width_of(span.text)
        if taken + (1 if rest else 0) > left:
            kept.append(Span(cut(span.text + ("  " if rest else ""), left), span.style))
            break
        kept.append(span)
        left -= taken
        if rest > left and left <= 0:
            break
    return tuple(kept)


def padded(spans: Line, width: int, align: Align = "left") -> Line:
    """A line with as many spaces as make it so wide."""
    missing = width - width_of_line(spans)
    if missing <= 0:
        return spans
    return (*spans, Span(" " * missing)) if align == "left" else (Span(" " * missing), *spans)


def flowed(parts: Iterable[str], width: int, *, between: str = " ", indent: str = "  ", style: str = "") -> list[Line]:
    """Parts one after the other, on as many lines as they need."""
    lines: list[str] = []
    for part in parts:
        joined = f"{lines[-1]}{between}{part}" if lines else ""
        if lines and width_of(joined) + width_of(indent) <= width:
            lines[-1] = joined
        else:
            lines.append(part)
    return [(Span(f"{indent}{text}", style),) for text in lines]


def advice(told: str, hint: str, width: int) -> list[Line]:
    """Why there is nothing to show, and the one thing to do next."""
    follow = flowed(f"→ {hint}".split(" "), width - 2, style="dim")
    first, *rest = follow
    return [*flowed(told.split(" "), width), first, *(line("  ", each) for each in rest)]


def _characters(text: str) -> Iterable[str]:
    """The characters as they are seen: an emoji may be made of several."""
    if NARROW.fullmatch(text):
        return text
    from wcwidth import iter_graphemes

    return iter_graphemes(text)
