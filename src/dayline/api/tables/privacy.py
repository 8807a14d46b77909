"""The calls about privacy rules and redactions."""

from dayline.api import privacy
from dayline.api.documents import (
    StatedRedaction,
    StatedRules,
)
from dayline.api.route import BUCKET_ID, Answer, Body, Route
from dayline.model.errors import Conflict, Gone, NotFound
from dayline.model.privacy import PrivacyRule
from dayline.model.redaction import RedactionPreview, RedactionRequest

_RULE = {"field": "title", "pattern": "(?i)payroll", "action": "redact", "replacement": "REDACTED"}
_REDACTION = {"rules": [_RULE], "buckets": [BUCKET_ID]}
_REDACTION_PATH = "/api/1/privacy/redactions/{redaction_id}"

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/privacy/rules", handler=privacy.get_privacy_rules, tag="privacy", scope="full",
        is_server_wide=True, summary="List the privacy rules",
        answer=Answer(type=StatedRules, description="every rule, in force or not"),
    ),
    Route(
        method="PUT", path="/api/1/privacy/rules", handler=privacy.set_privacy_rules, tag="privacy", scope="full",
        is_server_wide=True, is_destructive=True, summary="Replace Dayline's own privacy rules",
        body=Body(type=list[PrivacyRule], example=[_RULE]),
        answer=Answer(type=StatedRules, description="every rule as it is now"),
    ),
    Route(
        method="POST", path="/api/1/privacy/preview", handler=privacy.preview_redaction, tag="privacy", scope="full",
        is_server_wide=True, summary="Preview what rules would change in history",
        body=Body(type=RedactionRequest, example=_REDACTION),
        answer=Answer(type=RedactionPreview, description="how much, and samples"),
    ),
    Route(
        method="POST", path="/api/1/privacy/apply", handler=privacy.apply_redaction, tag="privacy", scope="full",
        is_server_wide=True, is_destructive=True, summary="Apply rules to history",
        body=Body(type=RedactionRequest, example=_REDACTION),
        answer=Answer(type=StatedRedaction, description="what was done, and the id that undoes it"),
    ),
    Route(
        method="GET", path="/api/1/privacy/redactions", handler=privacy.list_redactions, tag="privacy", scope="full",
        is_server_wide=True, summary="List the redactions", 
        answer=Answer(type=list[StatedRedaction], description="latest first"),
    ),
    Route(
        method="POST", path=f"{_REDACTION_PATH}/undo", handler=privacy.undo_redaction, tag="privacy", scope="full",
        is_server_wide=True, is_destructive=True, summary="Undo a redaction",
        answer=Answer(type=StatedRedaction, description="the redaction as it is now"),
        errors=(NotFound, Conflict, Gone),
    ),
    Route(
        method="POST", path=f"{_REDACTION_PATH}/final", handler=privacy.make_redaction_final, tag="privacy",
        scope="full", is_server_wide=True, is_destructive=True, summary="Make a redaction final",
        answer=Answer(type=StatedRedaction, description="the redaction as it is now"), errors=(NotFound, Conflict),
    ),
)  # fmt: skip
