"""Numbers with nouns, for messages."""


def quantity(number: int, singular: str, plural: str | None = None) -> str:
    """A number with its noun: 1 event, 1,204 events. The plural defaults to the singular with an s."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"
