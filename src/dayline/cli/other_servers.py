"""What the other servers of a database change, taken over by what this one keeps in memory of keys and rules."""

import asyncio
import logging

from dayline.access.privacy import OWN_RULES_KEY
from dayline.api.people import People
from dayline.model.errors import DaylineError
from dayline.model.privacy import FILTERS_KEY
from dayline.model.timestamps import now_us
from dayline.storage.background import Background
from dayline.storage.news import SettingNews
from dayline.storage.postgres.database import PostgresDatabase
from dayline.storage.postgres.listener import Heard

log = logging.getLogger(__name__)


class OtherServers:
    """Listens from the time it is made until `close`."""

    def __init__(self, database: PostgresDatabase, people: People) -> None:
        self._database = database
        self._people = people
        self._work = Background("taking over what another server has changed")
        database.on_heard = self._heard

    async def close(self) -> None:
        await self._work.close()

    def _heard(self, heard: Heard) -> None:
        changed = {news.key for news in heard.told if isinstance(news, SettingNews)}
        if heard.is_access:
            self._work.start(self._learn_access())
        services = self._people.at_hand(heard.tenant)
        if services is not None and (heard.is_whole or changed & {FILTERS_KEY, OWN_RULES_KEY}):
            self._work.start(services.privacy.learn(services.access))

    async def _learn_access(self) -> None:
        access, gate, read = self._database.access, self._people.own.gate, now_us()
        try:
            keys, sessions = await asyncio.to_thread(lambda: (access.all_keys(), access.sessions()))
        except DaylineError as error:
            log.warning("keys that other servers have changed are not known here: %s", error.message)
            return
        gate.keyring.learn(keys)
        gate.sessions.learn(sessions, read=read)
