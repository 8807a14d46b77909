"""Words that are nearly the same: what somebody may have meant."""

from collections.abc import Iterable
from typing import Final

_SHORT: Final = 5  # letters: of a word up to that, one may be wrong, of longer ones two


def nearest(word: str, known: Iterable[tuple[str, int]]) -> str | None:
    """The word that differs least, of several the one that occurs most; None where all differ too much."""
    most = 1 if len(word) <= _SHORT else 2
    best: tuple[int, int, str] | None = None
    for candidate, count in known:
        if candidate == word or abs(len(candidate) - len(word)) > most:
            continue
        changes = distance(word, candidate, most=most)
        if changes <= most and (best is None or (changes, -count, candidate) < best):
            best = (changes, -count, candidate)
    return None if best is None else best[2]


def distance(one: str, other: str, *, most: int) -> int:
    """How many letters have to be put in, left out, changed, or swapped with the next; more than `most` is one more."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for number, letter in enumerate(one, start=1):
        last, before, row = before, row, [number]
        for place, against in enumerate(other, start=1):
            changes = min(before[place] + 1, row[-1] + 1, before[place - 1] + (letter != against))
            if last and place > 1 and letter == other[place - 2] and one[number - 2] == against:
                changes = min(changes, last[place - 2] + 1)
            row.append(changes)
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)
