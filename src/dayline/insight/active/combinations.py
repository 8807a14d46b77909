"""The distinct combinations of active window, tab and file, and the keys that group them."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final

import numpy as np
from msgspec import Struct

from dayline.insight.active.bucket_values import BucketValues, ItemTexts
from dayline.insight.active.device_pieces import DevicePieces
from dayline.insight.active.layers import LayerValues
from dayline.insight.active.presence import places
from dayline.insight.categories.classify import Classifier, Matching
from dayline.insight.now.model import Layer
from dayline.insight.projects.model import project_rules, rule_name
from dayline.insight.request import Field, Scope
from dayline.model.category import UNCATEGORIZED, Category, Path
from dayline.model.data import CanonicalJson
from dayline.model.edits.annotation import ANNOTATIONS_BUCKET, Annotation
from dayline.query.columns.dictionaries import joined_column, overlaid
from dayline.query.columns.distinct import lookup
from dayline.storage.columns.source import MISSING, Codes, Column, Dictionary, Flags, Ids, Items, no_column

Key = str | Path

# The layers that may have a field; the first one that has it counts.
_LAYERS_OF: Final[dict[Field, tuple[str, ...]]] = {
    "app": ("window", "tab", "file"),
    "title": ("window", "tab", "file"),
    "domain": ("tab", "window"),
    "url": ("tab", "window"),
    "project": ("file", "window", "tab"),
}
_LAYER_NAMES: Final = ("window", "tab", "file")
NO_BASE: Final = -1


def texts_of(names: Sequence[Key], which: Codes) -> list[Key]:
    """The selected keys, in the given order."""
    if isinstance(names, ItemTexts):
        return [raw.decode() for raw in names.items.raws(which)]
    listed: list[int] = which.tolist()
    return [names[number] for number in listed]


class Keys(Struct, frozen=True, eq=False):
    """The keys, and for each combination (or piece) the number of its key, MISSING if it has none."""

    codes: Codes
    names: Sequence[Key]


class _ValueGroup(Struct, frozen=True, eq=False):
    """Combinations whose values have the same numbers."""

    values: LayerValues
    window: Codes
    tab: Codes
    file: Codes


class Combinations:
    """All combinations of a response. Keys are computed once per combination, not per event."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._months: list[DevicePieces] = []
        # Added by annotations: a recorded combination in another category, or NO_BASE for time that was not recorded.
        self._bases: Ids = np.zeros(0, dtype=np.int64)
        self._notes: Ids = np.zeros(0, dtype=np.int64)  # numbers of annotations in the scope
        self._count = 0
        self._groups: list[_ValueGroup] | None = None
        self._keys: dict[Field, Keys] = {}

    def __len__(self) -> int:
        return self._count + len(self._notes)

    def add(self, pieces: DevicePieces) -> int:
        """Add the combinations of a device in a month; returns the number of the first one."""
        assert not len(self._notes)
        first = self._count
        self._months.append(pieces)
        self._count += len(pieces.window)
        return first

    def add_extras(self, bases: Ids, notes: Ids) -> int:
        """Add combinations that annotations create from others; returns the number of the first one."""
        first = len(self)
        self._bases = np.concatenate([self._bases, bases])
        self._notes = np.concatenate([self._notes, notes])
        return first

    def keys(self, field: Field) -> Keys:
        """The key of each combination. Combinations have no `device`."""
        if field not in self._keys:
            self._keys[field] = self._compute_keys(field)
        return self._keys[field]

    def _compute_keys(self, field: Field) -> Keys:
        if field == "category":
            return self.category_keys(self._scope.categories)
        if field == "bucket":
            return self._buckets()
        keys = self._text_keys(field)
        return self._project_keys(keys) if field == "project" and self._scope.projects else keys

    def _text_keys(self, field: Field) -> Keys:
        """The recorded texts of a field."""
        columns = [_field_of(group, field) for group in self._value_groups()]
        entries = self._labels() if field == "title" else None
        if entries is not None:
            columns.append(entries)
        column = joined_column(columns) if columns else no_column(0)
        codes = column.codes
        if entries is None:
            codes = np.append(codes, np.full(len(self._notes), MISSING, dtype=np.int32))
        return Keys(self._with_bases(codes), ItemTexts(column.items))

    def _project_keys(self, recorded: Keys) -> Keys:
        """The first project that matches each combination, by its rules or its category; or else the recorded one."""
        projects = self._scope.projects
        none = len(projects)
        classifier = Classifier.of(project_rules(projects))
        numbers = {rule_name(project): number for number, project in enumerate(projects)}
        of_rule = np.array([numbers.get(name, none) for name in classifier.names], dtype=np.int32)
        by_rule = [of_rule[classifier.categories(each)] for each in self.places(classifier)]
        keys = self._with_bases(np.concatenate([*by_rule, np.full(len(self._notes), none, dtype=np.int32)]))
        categories = self.keys("category")
        of_category = [
            next(
                (number for number, each in enumerate(projects) if isinstance(path, tuple) and each.has_category(path)),
                none,
            )
            for path in categories.names
        ]
        keys = np.minimum(keys, np.array(of_category, dtype=np.int32)[categories.codes])
        names = {project.name: number for number, project in enumerate(projects)}
        others = [names.setdefault(str(name), len(names)) for name in recorded.names]
        of_recorded = lookup(np.array(others, dtype=np.int32), recorded.codes, MISSING)
        return Keys(np.where(keys < none, keys, of_recorded).astype(np.int32), list(names))

    def category_keys(self, categories: tuple[Category, ...]) -> Keys:
        """The category of each combination by these rules."""
        classifier = Classifier.of(categories)
        keys = [classifier.categories(each) for each in self.places(classifier)]
        names: dict[Path, int] = {name: number for number, name in enumerate(classifier.names)}
        given = self._of_notes(lambda note: names.setdefault(note.category or UNCATEGORIZED, len(names)))
        codes = np.concatenate([np.zeros(0, dtype=np.int32), *keys, given])
        return Keys(codes.astype(np.int32), list(names))

    def places(self, classifier: Classifier) -> list[Codes]:
        """The position of the winning rule for each recorded combination, as consecutive arrays."""
        return [places(classifier, group.values, group.window, group.tab, group.file) for group in self._value_groups()]

    def data(self, number: int) -> dict[Layer, CanonicalJson]:
        """The data of each layer of a combination. For one that an annotation created: the data of its base."""
        if number >= self._count:
            base = int(self._bases[number - self._count])
            return {} if base == NO_BASE else self.data(base)
        for group in self._value_groups():
            if number < len(group.window):
                layers: list[tuple[Layer, CanonicalJson | None]] = [
                    ("window", group.values.window.text(group.window[number])),
                    ("tab", group.values.tab.text(group.tab[number])),
                    ("file", group.values.file.text(group.file[number])),
                ]
                return {layer: text for layer, text in layers if text is not None}
            number -= len(group.window)
        raise IndexError(number)

    def annotation(self, number: int) -> Annotation | None:
        """The annotation that sets the category of a combination; None if rules set it."""
        if number < self._count:
            return None
        return self._scope.annotations[int(self._notes[number - self._count])]

    @property
    def recorded_count(self) -> int:
        """The number of recorded combinations. Those created by annotations come after them."""
        return self._count

    def matching(self, classifier: Classifier) -> Matching:
        """All matching rules of each recorded combination."""
        groups = [_matching(classifier, group) for group in self._value_groups()]
        numbers: dict[frozenset[int], int] = {}
        codes = [
            np.array([numbers.setdefault(each, len(numbers)) for each in matching.sets], dtype=np.int32)[matching.codes]
            for matching in groups
        ]
        return Matching(np.concatenate([np.zeros(0, dtype=np.int32), *codes]), list(numbers))

    def having(self, holds: Callable[[str, Dictionary, Codes], Flags], is_entry: Callable[[Annotation], bool]) -> Flags:
        """Which combinations have a value, in any layer, for which `holds` is true, or are such an entry."""
        flags: list[Flags] = []
        for group in self._value_groups():
            group_flags = np.zeros(len(group.window), dtype=np.bool_)
            for layer in _LAYER_NAMES:
                values: BucketValues = getattr(group.values, layer)
                for bucket, data, which, codes in values.by_bucket(getattr(group, layer)):
                    group_flags[which] |= holds(bucket, data, codes)
            flags.append(group_flags)
        recorded = np.concatenate([np.zeros(0, dtype=np.bool_), *flags])
        entries = self._of_notes(is_entry).astype(np.bool_)
        added = np.where(self._bases == NO_BASE, entries, recorded[self._bases] if len(recorded) else False)
        return np.concatenate([recorded, added.astype(np.bool_)])

    def buckets_in_use(self) -> dict[str, Flags]:
        """Of each bucket, which combinations have a value of it."""
        uses: dict[str, Flags] = {}
        first = 0
        for group in self._value_groups():
            for layer in _LAYER_NAMES:
                values: BucketValues = getattr(group.values, layer)
                for bucket, _, which, _ in values.by_bucket(getattr(group, layer)):
                    uses.setdefault(bucket, np.zeros(len(self), dtype=np.bool_))[which + first] = True
            first += len(group.window)
        moved = np.flatnonzero(self._bases != NO_BASE)
        for flags in uses.values():
            flags[self._count + moved] = flags[self._bases[moved]]
        if len(self._notes):
            entries = uses.setdefault(ANNOTATIONS_BUCKET, np.zeros(len(self), dtype=np.bool_))
            entries[self._count :][self._bases == NO_BASE] = True
        return uses

    def _buckets(self) -> Keys:
        names: dict[str, int] = {}
        buckets: list[Codes] = []
        for group in self._value_groups():
            numbers = [names.setdefault(bucket, len(names)) for bucket in group.values.window.buckets]
            buckets.append(np.array(numbers, dtype=np.int32)[group.values.window.owners(group.window)])
        if len(self._notes):
            own = names.setdefault(ANNOTATIONS_BUCKET, len(names))
            buckets.append(np.full(len(self._notes), own, dtype=np.int32))
        codes = np.concatenate([np.zeros(0, dtype=np.int32), *buckets])
        return Keys(self._with_bases(codes), list(names))

    def _with_bases(self, codes: Codes) -> Codes:
        """Copy the codes of bases: an annotation that changes the category changes nothing else."""
        moved = np.flatnonzero(self._bases != NO_BASE)
        if len(moved):
            codes = codes.copy()
            codes[self._count + moved] = codes[self._bases[moved]]
        return codes

    def _labels(self) -> Column | None:
        """The titles of entries; None if no entry has one."""
        labels: dict[str, int] = {}
        codes = self._of_notes(
            lambda note: labels.setdefault(note.label, len(labels)) if note.kind == "entry" and note.label else MISSING
        )
        return Column(codes, Items.of_values(labels)) if labels else None

    def _of_notes(self, number_of: Callable[[Annotation], int]) -> Codes:
        """A number for each combination created by an annotation, computed once per annotation."""
        used, codes = np.unique(self._notes, return_inverse=True)
        listed: list[int] = used.tolist()
        numbers = [number_of(self._scope.annotations[number]) for number in listed]
        return np.array(numbers, dtype=np.int32)[codes]

    def _value_groups(self) -> list[_ValueGroup]:
        if self._groups is None:
            self._groups = []
            begins = [
                number
                for number, month in enumerate(self._months)
                if not number or not _is_alike(month.values, self._months[number - 1].values)
            ]
            for low, high in pairwise([*begins, len(self._months)]):
                months = self._months[low:high]
                columns = ([getattr(month, name) for month in months] for name in ("window", "tab", "file"))
                self._groups.append(_ValueGroup(months[0].values, *map(np.concatenate, columns)))
        return self._groups


def _is_alike(one: LayerValues, other: LayerValues) -> bool:
    return one.window.is_same(other.window) and one.tab.is_same(other.tab) and one.file.is_same(other.file)


def _matching(classifier: Classifier, group: _ValueGroup) -> Matching:
    layers: tuple[tuple[BucketValues, Codes, bool], ...] = (
        (group.values.window, group.window, True),
        (group.values.tab, group.tab, False),
        (group.values.file, group.file, False),
    )
    joined = Matching(np.zeros(len(group.window), dtype=np.int32), [frozenset()])
    for values, codes, is_base in layers:
        sets: list[frozenset[int]] = [frozenset()]

        def number_values(
            data: Dictionary, which: Codes, is_base: bool = is_base, sets: list[frozenset[int]] = sets
        ) -> Codes:
            matching = classifier.matching(data, which, is_base=is_base)
            first = len(sets)
            sets.extend(matching.sets)
            return matching.codes + np.int32(first)

        joined = joined.union(Matching(values.numbers(number_values, codes), sets))
    return joined


def _field_of(group: _ValueGroup, field: Field) -> Column:
    column: Column | None = None
    for layer in _LAYERS_OF[field]:
        values = getattr(group.values, layer)
        if not values.buckets:
            continue
        texts = values.strings(field, getattr(group, layer))
        column = texts if column is None else _overlaid(column, texts)
    return no_column(len(group.window)) if column is None else column


def _overlaid(upper: Column, lower: Column) -> Column:
    if not (upper.codes == MISSING).any() or not (lower.codes != MISSING).any():
        return upper
    if not (upper.codes != MISSING).any():
        return lower
    # Only where the upper layer has none; otherwise hidden texts would be compared.
    seen = Column(np.where(upper.codes == MISSING, lower.codes, np.int32(MISSING)), lower.items)
    return overlaid(upper, seen) if (seen.codes != MISSING).any() else upper
