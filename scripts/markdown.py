"""Markdown, as the generated pages need it."""

import textwrap
from typing import Final

import msgspec

NOTE: Final = "<!-- Written by scripts/write_docs.py (make docs). Change the code, not this page. -->"
WIDTH: Final = 120

Rows = list[tuple[str, ...]]


def assemble(title: str, *parts: str) -> str:
    """A page: the parts with blank lines between."""
    return "\n\n".join((title, NOTE, *(part for part in parts if part))) + "\n"


def table(head: tuple[str, ...], rows: Rows) -> str:
    lines = [head, tuple("---" for _ in head), *(tuple(cell.replace("|", "\\|") for cell in row) for row in rows)]
    return "\n".join(f"| {' | '.join(' '.join(cell.split()) for cell in line)} |" for line in lines)


def filled(text: str) -> str:
    """Paragraphs as lines of our width."""
    return "\n\n".join(
        textwrap.fill(" ".join(part.split()), WIDTH, break_long_words=False, break_on_hyphens=False)
        for part in text.split("\n\n")
    )


def sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def pretty(value: object) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


def anchor(heading: str) -> str:
    """The name that a heading has in links."""
    return "".join(mark for mark in heading.lower() if mark.isalnum() or mark in " -").replace(" ", "-")
