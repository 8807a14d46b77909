"""The task that finds the categories of what is in front. Only query processes import this."""

import msgspec

from dayline.insight.categories.classify import Classifier, category_of
from dayline.insight.now.model import NowCategoriesRequest
from dayline.storage.columns.source import ColumnSource

_request = msgspec.json.Decoder(NowCategoriesRequest)


def now_categories(request: bytes, source: ColumnSource) -> bytes:
    """The answer to a NowCategoriesRequest: a path for each of what is in front."""
    asked = _request.decode(request)
    classifier = Classifier.of(asked.categories)
    return msgspec.json.encode([category_of(classifier, front) for front in asked.fronts])
