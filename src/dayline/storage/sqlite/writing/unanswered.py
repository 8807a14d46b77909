"""Batches that are committed into a file which is not in its place any more: they are answered when it is back."""

from dayline.model.errors import StoreBusy
from dayline.storage.faults import Fault
from dayline.storage.sqlite.writing.batches import Written
from dayline.storage.sqlite.writing.items import Beat, Item


class Unanswered:
    """What waits for the file to come back. Written once more, an insert would be there twice."""

    def __init__(self) -> None:
        self.batches: list[tuple[list[Item], Written]] = []

    @property
    def beats(self) -> int:
        return sum(isinstance(item, Beat) for batch, _ in list(self.batches) for item in batch)

    def add(self, batch: list[Item], written: Written) -> None:
        self.batches.append((batch, written))

    def take(self) -> list[tuple[list[Item], Written]]:
        """All of it: the file is back."""
        batches, self.batches = self.batches, []
        return batches

    def give_up(self, fault: Fault, *, before: float, is_stopping: bool) -> None:
        """Tell those that have waited since before that moment; at the end all of them."""
        refusal = StoreBusy(
            f"it is not known whether this is stored: {fault.message}", hint=f"{fault.hint}; then look for it"
        )
        for batch, _ in self.batches:
            for item in batch:
                if is_stopping or (not item.is_held and item.submitted < before):
                    item.answer(refusal)  # a change that was answered hears nothing of what comes later
        if is_stopping:
            self.batches = []
