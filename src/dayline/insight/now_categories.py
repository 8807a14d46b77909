"""The task that finds the categories of what is in front. Only query processes import this."""

import msgspec
import numpy as np

from dayline.insight.bucket_kinds import Layer
from dayline.insight.classify import Classifier
from dayline.insight.now_request import NowCategoriesRequest
from dayline.model.categories import Path
from dayline.model.data import canonical_json
from dayline.storage.columns import Codes, ColumnSource, TextDictionary

_request = msgspec.json.Decoder(NowCategoriesRequest)


def now_categories(request: bytes, source: ColumnSource) -> bytes:
    """The answer to a NowCategoriesRequest: a path for each of what is in front."""
    asked = _request.decode(request)
    classifier = Classifier.of(asked.categories)
    return msgspec.json.encode([_category(classifier, front.window, front.tab) for front in asked.fronts])


def _category(classifier: Classifier, window: dict[str, object], tab: dict[str, object] | None) -> Path:
    places = _places(classifier, "window", window)
    if tab is not None:
        places = np.maximum(places, _places(classifier, "tab", tab))
    return classifier.names[int(classifier.categories(places)[0])]


def _places(classifier: Classifier, layer: Layer, data: dict[str, object]) -> Codes:
    return classifier.places(layer, TextDictionary([canonical_json(data)]), np.zeros(1, dtype=np.int32))
