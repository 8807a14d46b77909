"""The people whose data this server serves: for each of them services of their own, opened when they first call."""

import asyncio
from collections.abc import Awaitable, Callable

from dayline.api.call import Services
from dayline.model.errors import Unavailable


class People:
    """Services by tenant. Used on the event loop. `own` are of the person without a name, and there from the start."""

    def __init__(self, own: Services, open_person: Callable[[str], Awaitable[Services]]) -> None:
        self.own = own
        self._open_person = open_person
        self._services = {own.tenant: own}
        self._opening: dict[str, asyncio.Task[Services]] = {}
        self._is_looking_after = False
        self._is_stopping = False

    def at_hand(self, tenant: str) -> Services | None:
        """The services of somebody whose data are open; None where they are not yet."""
        return self._services.get(tenant)

    def all(self) -> list[Services]:
        """Those that are open."""
        return list(self._services.values())

    async def find(self, tenant: str) -> Services:
        """The services of somebody. Raises Unavailable errors, and Invalid where the data are one person's alone."""
        found = self._services.get(tenant)
        if found is not None:
            return found
        if self._is_stopping:
            raise Unavailable("the server is stopping", hint="send it again when it is back")
        opening = self._opening.get(tenant)
        if opening is None:
            opening = self._opening[tenant] = asyncio.get_running_loop().create_task(self._opened(tenant))
            opening.add_done_callback(_hear)
        # Others may wait for the same: whoever goes away does not stop it.
        return await asyncio.shield(opening)

    def look_after(self) -> None:
        """Begin with the upkeep of everybody's data, also of those who come later."""
        self._is_looking_after = True
        for services in self.all():
            services.upkeep.start()

    def tick(self) -> None:
        """To be called once a second."""
        for services in self.all():
            services.stream.tick()

    def stop(self) -> None:
        """End what is open for long, and open nobody's data any more."""
        self._is_stopping = True
        for services in self.all():
            services.stream.stop()

    async def close(self) -> None:
        """Finish everybody's work."""
        self.stop()
        if self._opening:
            await asyncio.wait(list(self._opening.values()))
        for services in self.all():
            await services.stream.close()
            await services.watcher_health.close()
            await services.jobs.close()
            await services.inspector.close()
            await services.upkeep.close()
            await services.trail.close()

    async def _opened(self, tenant: str) -> Services:
        try:
            services = self._services[tenant] = await self._open_person(tenant)
            if self._is_looking_after:
                services.upkeep.start()
            return services
        finally:
            del self._opening[tenant]


def _hear(opening: "asyncio.Task[Services]") -> None:
    """Take note of an error, though everybody who waited may have gone."""
    if not opening.cancelled():
        opening.exception()
