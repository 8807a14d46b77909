"""Names for categories that do not exist yet."""

from collections.abc import Sequence

from dayline.insight.bucket_kinds import Layer
from dayline.insight.category_answers import SuggestionKind
from dayline.insight.classify import Classifier, category_of
from dayline.insight.starters import starter_categories
from dayline.model.categories import UNCATEGORIZED, Category, Path


def proposed_name(kind: SuggestionKind, value: str, categories: Sequence[Category]) -> Path:
    """What time of an app, a domain or a word could be called: as a starter set calls it, or by its own name."""
    known = category_of(Classifier.of(starter_categories()), _as_data(kind, value))
    if known != UNCATEGORIZED:
        return known
    name = _own_name(kind, value)
    return next((each.name for each in categories if each.name[-1].casefold() == name.casefold()), (name,))


def _as_data(kind: SuggestionKind, value: str) -> dict[Layer, dict[str, str]]:
    match kind:
        case "app":
            return {"window": {"app": value}}
        case "domain":
            return {"tab": {"url": f"https://{value}/"}}
        case "word":
            return {"window": {"title": value}}


def _own_name(kind: SuggestionKind, value: str) -> str:
    if kind != "domain":
        return value[:1].upper() + value[1:]
    labels = value.split(".")
    # docs.example.co.uk: the longest of what stands before the last label, which names the owner more often than not.
    name = max(labels[:-1] or labels, key=len)
    return name[:1].upper() + name[1:]
