"""`/api/1/projects`: the projects that summaries and reports group time by."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from dayline.api.http.call import Call, check_match, tag_of
from dayline.api.http.parameters import COMMON, COMMON_ERRORS
from dayline.api.http.route import Answer, Body, Route
from dayline.api.insight.task import answer_tagged, common_request, refuse_slow_patterns, run_task
from dayline.insight.categories.checking import check_pattern, pattern_of
from dayline.insight.categories.colors import DisplayColors, check_color, project_colors
from dayline.insight.categories.model import ConditionView
from dayline.insight.projects.model import (
    MAX_PROJECTS,
    Projects,
    project_rules,
    projects_of,
    stored_projects,
)
from dayline.insight.summary.model import Summary, SummaryRequest
from dayline.model.category import Path
from dayline.model.data import CanonicalJson, decode_body
from dayline.model.errors import Invalid
from dayline.model.settings.reports import PROJECTS_KEY
from dayline.runtime.threads import in_thread


class ProjectsChange(Projects, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All projects, in order: the first one that matches counts."""

    colors: (
        Annotated[list[dict[str, str]], Meta(description="ignored: a list can be sent as it was read")] | UnsetType
    ) = UNSET


class ProjectView(Struct, frozen=True, kw_only=True):
    """A project with all its fields."""

    name: str
    categories: list[Path]
    conditions: list[ConditionView]
    rate: float | None
    is_billable: bool
    color: str | None


class ProjectList(Struct, frozen=True, kw_only=True):
    """All projects, in order: the first one that matches counts."""

    projects: list[ProjectView]
    colors: Annotated[list[DisplayColors], Meta(description="the color of each project, in the same order")]


async def get_projects(call: Call) -> None:
    """All projects, in order. Send the `ETag` as `If-Match` when you change them."""
    projects = projects_of(await in_thread(call.access.own_setting, PROJECTS_KEY))
    answer_tagged(call, msgspec.json.encode(_view(projects)))


async def set_projects(call: Call) -> None:
    """Replaces all projects. With `If-Match`, only if they have not changed since.

    The whole list is rejected if one rule is invalid, or if a new regular expression is too slow on the titles of the
    last 12 months. Earlier versions are in the settings history: `/api/1/settings/history?key=projects`.
    """
    projects = await in_thread(_checked, await call.json_body())
    before = projects_of(await in_thread(call.access.own_setting, PROJECTS_KEY))
    rules = project_rules(projects.projects), project_rules(before.projects)
    await refuse_slow_patterns(call, *rules, listed_in="projects")

    def edit(text: CanonicalJson | None) -> CanonicalJson:
        check_match(call, _view(projects_of(text)), name="the list of projects")
        return stored_projects(projects)

    await call.access.edit_own_setting(PROJECTS_KEY, edit)
    view = _view(projects)
    call.response.set_header("ETag", tag_of(view))
    call.answer_value(view)


async def preview_projects(call: Call) -> None:
    """The time of each project in a range if these were the projects. Nothing is changed."""
    projects = await in_thread(_checked, await call.json_body())
    common = await common_request(call)
    common = replace(common, scope=replace(common.scope, projects=projects.projects))
    call.answer_json(
        await run_task(call, "summary", SummaryRequest(common=common, by=("project",), limit=MAX_PROJECTS))
    )


async def restore_projects(call: Call, value: CanonicalJson | None) -> None:
    """Set the projects to an earlier version. Raises Malformed or Invalid."""
    if value is not None:
        _checked(value)
    await call.access.change_own_settings({PROJECTS_KEY: value})


def _view(projects: Projects) -> ProjectList:
    return ProjectList(
        projects=msgspec.convert(projects.projects, list[ProjectView], from_attributes=True),
        colors=project_colors(each.color for each in projects.projects),
    )


def _checked(body: bytes) -> Projects:
    """Raises Malformed or Invalid, naming the field."""
    projects = Projects(projects=decode_body(body, ProjectsChange).projects)
    seen: dict[str, int] = {}
    for number, project in enumerate(projects.projects):
        path = f"projects[{number}]"
        if project.name != project.name.strip() or not project.name.isprintable():
            raise Invalid(
                f"{path}.name: invalid name {project.name[:40]!r}",
                hint="use printable characters, without spaces at the start and end",
                field=f"{path}.name",
            )
        first = seen.setdefault(project.name.casefold(), number)
        if first != number:
            raise Invalid(
                f"{path}.name: {project.name[:40]!r} is a duplicate of projects[{first}]",
                hint="give a project several conditions rather than several entries",
                field=f"{path}.name",
            )
        check_color(project.color, f"{path}.color")
        for index, condition in enumerate(project.conditions):
            check_pattern(pattern_of(condition), condition.ignore_case, f"{path}.conditions[{index}].value")
    return projects


_EXAMPLE = {
    "projects": [
        {"name": "ACME", "categories": [["Work", "ACME"]], "rate": 80, "color": "blue"},
        {
            "name": "Website",
            "conditions": [
                {"field": "domain", "op": "is", "value": "acme.example"},
                {"field": "title", "op": "has", "value": "homepage"},
            ],
            "is_billable": False,
        },
    ]
}

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/projects", handler=get_projects, tag="projects", scope="read",
        audience="all buckets",
        is_tagged=True, summary="Get the projects and their rules",
        answer=Answer(type=ProjectList, description="all projects, in order"),
    ),
    Route(
        method="PUT", path="/api/1/projects", handler=set_projects, tag="projects", scope="full",
        audience="all buckets",
        is_destructive=True, is_conditional=True, summary="Replace the projects and their rules",
        body=Body(type=ProjectsChange, example=_EXAMPLE), answer=Answer(type=ProjectList, description="all projects"),
    ),
    Route(
        method="POST", path="/api/1/projects/preview", handler=preview_projects, tag="projects", scope="read",
        audience="all buckets", summary="Preview changed projects", parameters=COMMON,
        body=Body(type=ProjectsChange, example=_EXAMPLE),
        answer=Answer(type=Summary, description="the summary of the range by project"), errors=COMMON_ERRORS,
    ),
)  # fmt: skip
