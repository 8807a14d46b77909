"""What several tables of calls have in common: parameters, answers and examples."""

from typing import Annotated, Any

from msgspec import Meta

from dayline.api.route import Answer

Nothing = Annotated[dict[str, Any], Meta(extra_json_schema={"additionalProperties": False})]
DONE = Answer(type=Nothing, description="done, and committed")
BUCKET = "/api/0/buckets/{bucket_id}"
NEW_BUCKET = {"client": "aw-watcher-window", "type": "currentwindow", "hostname": "laptop"}
EVENT = {"timestamp": "2026-02-03T08:15:31.250Z", "duration": 12.5, "data": {"app": "Editor", "title": "notes.md"}}
