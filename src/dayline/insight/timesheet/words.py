"""The texts of a timesheet in each language of the web UI. Pure."""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from dayline.insight.timesheet.model import Per, Rounding, SheetField, SheetLanguage
from dayline.model.time import SECOND, Microseconds

Forms = tuple[str, str]  # singular and plural


class SheetWords(Struct, frozen=True, kw_only=True):
    """The headings, names and sentences of one language. Placeholders are filled with texts, not numbers."""

    language: SheetLanguage
    date: str
    first: str
    last: str
    breaks: str
    total: str
    hours: str
    not_rounded: str
    amount: str
    notes: str
    fields: Mapping[SheetField, str]
    no_key: Mapping[SheetField, str]
    uncategorized: str
    itself: str
    days: tuple[str, ...]
    nothing: str
    summary: str
    day_forms: Forms
    entry_forms: Forms
    zone: str
    exact: str
    left_out: str
    is_exact: str
    rounded: Mapping[Rounding, Mapping[Per, str]]
    gaps: str
    least: str
    adds: str
    removes: str
    units: tuple[Forms, Forms, str]

    def number(self, value: float, digits: int = 2) -> str:
        """A number with separators: 1,234.50 or 1.234,50."""
        text = f"{value:,.{digits}f}"
        return text.translate(_SWAPPED) if self.language == "de" else text

    def length(self, time: Microseconds) -> str:
        """A duration as text: 15 minutes, 1 hour."""
        for size, (singular, plural) in ((3600 * SECOND, self.units[0]), (60 * SECOND, self.units[1])):
            if time and time % size == 0:
                return f"{time // size} {singular if time == size else plural}"
        return f"{time / SECOND:g} {self.units[2]}"

    def on_days(self, count: int) -> str:
        """A number of days, after the word that precedes it in `summary`."""
        return self._quantity(count, self.day_forms)

    def entries(self, count: int) -> str:
        """A number of entries."""
        return self._quantity(count, self.entry_forms)

    def _quantity(self, count: int, forms: Forms) -> str:
        return f"{self.number(count, 0)} {forms[count != 1]}"


_SWAPPED: Final = str.maketrans(",.", ".,")
_ENGLISH: Final = SheetWords(
    language="en",
    date="Date", first="First", last="Last", breaks="Breaks", total="Total", hours="Hours",
    not_rounded="Not rounded", amount="Amount {currency}", notes="Notes",
    fields={"category": "Category", "project": "Project", "app": "App", "title": "Title", "label": "Label"},
    no_key={
        "category": "Uncategorized", "project": "No project", "app": "No app", "title": "No title", "label": "No label",
    },
    uncategorized="Uncategorized", itself="{category} (itself)",
    days=("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
    nothing="Nothing was recorded in this time that the filters let through.",
    summary="{hours} hours on {days}", day_forms=("day", "days"), entry_forms=("entry", "entries"),
    zone="Hours of the time zone {zone}.",
    exact="Without rounding it is {hours} hours.",
    left_out="Left out: {entries} of {hours} hours together.",
    is_exact="Times are not rounded.",
    rounded={
        "up": {
            "day": "Times are rounded up to {step}, the entries of a day together.",
            "entry": "Times are rounded up to {step}, each entry of a day.",
        },
        "nearest": {
            "day": "Times are rounded to the nearest {step}, the entries of a day together.",
            "entry": "Times are rounded to the nearest {step}, each entry of a day.",
        },
        "down": {
            "day": "Times are rounded down to {step}, the entries of a day together.",
            "entry": "Times are rounded down to {step}, each entry of a day.",
        },
    },
    gaps="Gaps of less than {length} count.",
    least="Entries of less than {length} are left out.",
    adds="Rounding each entry adds {by} h: {exact} h → {rounded} h.",
    removes="Rounding each entry removes {by} h: {exact} h → {rounded} h.",
    units=(("hour", "hours"), ("minute", "minutes"), "seconds"),
)  # fmt: skip
_GERMAN: Final = SheetWords(
    language="de",
    date="Datum", first="Erste", last="Letzte", breaks="Pausen", total="Summe", hours="Stunden",
    not_rounded="Ungerundet", amount="Betrag {currency}", notes="Notizen",
    fields={"category": "Kategorie", "project": "Projekt", "app": "App", "title": "Titel", "label": "Text"},
    no_key={
        "category": "Ohne Kategorie", "project": "Kein Projekt", "app": "Keine App", "title": "Kein Titel",
        "label": "Kein Text",
    },
    uncategorized="Ohne Kategorie", itself="{category} selbst",
    days=("Mo", "Di", "Mi", "Do", "Fr", "Sa", "So"),
    nothing="In dieser Zeit wurde nichts aufgezeichnet, was zu den Filtern passt.",
    summary="{hours} Stunden an {days}", day_forms=("Tag", "Tagen"), entry_forms=("Eintrag", "Einträge"),
    zone="Zeitzone: {zone}.",
    exact="Ohne Rundung sind es {hours} Stunden.",
    left_out="Ausgeblendet: {entries}, insgesamt {hours} Stunden.",
    is_exact="Zeiten sind nicht gerundet.",
    rounded={
        "up": {
            "day": "Zeiten sind auf {step} aufgerundet, die Einträge eines Tages zusammen.",
            "entry": "Zeiten sind auf {step} aufgerundet, jeder Eintrag eines Tages.",
        },
        "nearest": {
            "day": "Zeiten sind auf {step} gerundet, die Einträge eines Tages zusammen.",
            "entry": "Zeiten sind auf {step} gerundet, jeder Eintrag eines Tages.",
        },
        "down": {
            "day": "Zeiten sind auf {step} abgerundet, die Einträge eines Tages zusammen.",
            "entry": "Zeiten sind auf {step} abgerundet, jeder Eintrag eines Tages.",
        },
    },
    gaps="Lücken unter {length} zählen mit.",
    least="Einträge unter {length} sind ausgeblendet.",
    adds="Das Runden jedes Eintrags addiert {by} h: {exact} h → {rounded} h.",
    removes="Das Runden jedes Eintrags entfernt {by} h: {exact} h → {rounded} h.",
    units=(("Stunde", "Stunden"), ("Minute", "Minuten"), "Sekunden"),
)  # fmt: skip
WORDS: Final[Mapping[SheetLanguage, SheetWords]] = {"en": _ENGLISH, "de": _GERMAN}
