"""The categories of what is in front: found by a query process, for which no one waits long."""

import asyncio
import sys
from pathlib import Path
from time import monotonic

from dayline.config.sections import QuerySettings
from dayline.insight.categories.classify import now_categories
from dayline.insight.now.known_categories import KnownCategories
from dayline.insight.now.model import Front, NowCategoriesRequest
from dayline.model.category import UNCATEGORIZED, Category, ClassicRule, Condition
from dayline.query.processes.command import query_command
from dayline.query.processes.workers import Queries
from tests.support.query.scripted import workers
from tests.support.query.tables import MemorySource
from tests.support.storage.opened import opened
from tests.support.waiting import PATIENCE_S

CATEGORIES = (
    Category(id=1, name=("Work", "Code"), rule=ClassicRule(regex="Code")),
    Category(id=2, name=("News",), conditions=(Condition(field="domain", op="is", value="news.example"),)),
)
CODE: Front = {"window": {"app": "Code", "title": "main.py"}}
NEWS: Front = {"window": {"app": "Firefox", "title": "x"}, "tab": {"url": "https://news.example/a"}}
OTHER: Front = {"window": {"app": "Mail", "title": "x"}}


def test_the_process_finds_categories_of_windows_and_tabs() -> None:
    asked = NowCategoriesRequest(categories=CATEGORIES, fronts=(CODE, NEWS, OTHER))

    answer = now_categories(asked, MemorySource({}))

    assert answer == [("Work", "Code"), ("News",), UNCATEGORIZED]


def test_the_process_looks_at_the_file_too() -> None:
    project = Category(
        id=3, name=("Client",), conditions=(Condition(field="project", op="is", value="acme"),), priority=50
    )
    front: Front = {"window": {"app": "Code"}, "file": {"file": "a.py", "project": "acme"}}
    asked = NowCategoriesRequest(categories=(*CATEGORIES, project), fronts=(front,))

    assert now_categories(asked, MemorySource({})) == [("Client",)]


def test_without_categories_everything_is_uncategorized_at_once() -> None:
    async def test() -> None:
        async with workers((sys.executable, "-c", "")) as pool:
            assert await KnownCategories(Queries(pool, "")).find((), [CODE, None]) == [UNCATEGORIZED, None]

    asyncio.run(test())


def test_an_answer_does_not_wait_for_a_process_that_has_to_be_started(tmp_path: Path) -> None:
    async def test() -> None:
        database = tmp_path / "days.db"
        async with opened(database), workers(query_command(database, QuerySettings())) as pool:
            known = KnownCategories(Queries(pool, ""))

            assert await known.find(CATEGORIES, [CODE, NEWS, None]) == [None, None, None]

            deadline = monotonic() + PATIENCE_S
            while await known.find(CATEGORIES, [CODE]) == [None]:
                assert monotonic() < deadline
                await asyncio.sleep(0.02)
            assert await known.find(CATEGORIES, [CODE, NEWS, None]) == [("Work", "Code"), ("News",), None]

    asyncio.run(test())
