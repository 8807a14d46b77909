"""The calls that a new server greets with: what there is to bring along, and something to look at."""

from dayline.api import demo, migrations, welcome
from dayline.api.demo import DemoRemoved, DemoRequest
from dayline.api.migrations import MigrationRequest
from dayline.api.route import Answer, Body, Route
from dayline.api.welcome import Welcome
from dayline.care.jobs import JobView
from dayline.model.errors import Conflict

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/welcome", handler=welcome.get_welcome, tag="server", scope="full",
        is_server_wide=True, summary="Tell what there is to begin with",
        answer=Answer(type=Welcome, description="what is here, what was found, and who records"),
    ),
    Route(
        method="POST", path="/api/1/migrations", handler=migrations.start_migration, tag="transfer", scope="full",
        is_server_wide=True, is_of_server=True, summary="Bring the data of an existing server along",
        body=Body(
            type=MigrationRequest,
            example={"path": "/home/ada/.local/share/activitywatch/aw-server-rust/sqlite.db"},
        ),
        answer=Answer(type=JobView, description="the job that migrates", status=202), errors=(Conflict,),
    ),
    Route(
        method="POST", path="/api/1/demo", handler=demo.start_demo, tag="transfer", scope="full",
        is_server_wide=True, summary="Make invented activity to look around with",
        body=Body(type=DemoRequest, example={"days": 30}),
        answer=Answer(type=JobView, description="the job that makes it", status=202), errors=(Conflict,),
    ),
    Route(
        method="DELETE", path="/api/1/demo", handler=demo.remove_demo, tag="transfer", scope="full",
        is_server_wide=True, is_destructive=True, summary="Remove the invented activity",
        answer=Answer(type=DemoRemoved, description="what was removed, and what undoes it"),
    ),
)  # fmt: skip
