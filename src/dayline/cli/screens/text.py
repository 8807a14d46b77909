"""Text for a terminal: styled pieces, their width, and the removal of control characters."""

import re
from collections.abc import Iterable
from typing import Final, Literal, NamedTuple, TypeAlias

Align: TypeAlias = Literal["left", "right"]

ELLIPSIS: Final = "…"
# Control characters, and those that change the direction of text: a window title may contain them, and a terminal
# would interpret them.
_HARMLESS: Final = {
    **dict.fromkeys((*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)), "\ufffd"),
    **dict.fromkeys((0x09, 0x0A, 0x0D, 0x2028, 0x2029), " "),
}


# Latin, Greek and Cyrillic letters, punctuation, arrows and the characters of charts take one column each. wcwidth
# measures everything else; importing it takes longer than most commands.
NARROW: Final = re.compile(
    "[ -~\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0482\u2010-\u2027\u2190-\u2193\u2500-\u25a9\u25b2\u25bc\u25cb-\u25cf]*"
)


class Span(NamedTuple):
    """A piece of text. The style is a list of words: bold, dim, a color name or #rrggbb."""

    text: str
    style: str = ""


Line: TypeAlias = tuple[Span, ...]


def clean(text: str) -> str:
    """Recorded text as one line without control characters."""
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
    """The width of a text in columns."""
    if NARROW.fullmatch(text):
        return len(text)
    from wcwidth import width

    return width(text, control_codes="ignore")


def width_of_line(spans: Iterable[Span]) -> int:
    """The width of a line in columns."""
    return sum(width_of(span.text) for span in spans)


def cut(text: str, width: int) -> str:
    """The text, truncated with an ellipsis if it is too wide."""
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
    """A line padded with spaces to a width."""
    missing = width - width_of_line(spans)
    if missing <= 0:
        return spans
    return (*spans, Span(" " * missing)) if align == "left" else (Span(" " * missing), *spans)


def flowed(parts: Iterable[str], width: int, *, between: str = " ", indent: str = "  ", style: str = "") -> list[Line]:
    """Parts wrapped into lines."""
    lines: list[str] = []
    for part in parts:
        joined = f"{lines[-1]}{between}{part}" if lines else ""
        if lines and width_of(joined) + width_of(indent) <= width:
            lines[-1] = joined
        else:
            lines.append(part)
    return [(Span(f"{indent}{text}", style),) for text in lines]


def advice(message: str, hint: str, width: int) -> list[Line]:
    """A message and a hint, wrapped."""
    from dayline.cli.hints import shown_hint  # here, because most screens have no hint

    follow = flowed(f"→ {shown_hint(hint)}".split(" "), width - 2, style="dim")
    first, *rest = follow
    return [*flowed(message.split(" "), width), first, *(line("  ", each) for each in rest)]


def _characters(text: str) -> Iterable[str]:
    """The visible characters: an emoji may consist of several code points."""
    if NARROW.fullmatch(text):
        return text
    from wcwidth import iter_graphemes

    return iter_graphemes(text)
