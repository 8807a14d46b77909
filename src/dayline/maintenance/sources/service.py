"""Folders of ActivityWatch whose devices are mirrored: added and removed, and read again when their files change."""

import asyncio
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct, structs

from dayline.maintenance.migration.snapshot import stamp_of
from dayline.maintenance.sources.contents import DeviceReading, opened, read_in_child
from dayline.maintenance.sources.layout import DatabaseFile, Listed, listed
from dayline.maintenance.sources.mirroring import SourceMirrors, Target
from dayline.maintenance.sources.report import SourceDevice, SourceReport, SourceState
from dayline.maintenance.sources.state import (
    KnownDevice,
    KnownFile,
    SourcesState,
    Stamp,
    device_id,
    encoded,
    read_sources,
)
from dayline.model.errors import Conflict, DaylineError, Invalid, NotFound, Unavailable
from dayline.model.time import Microseconds, optional_timestamp
from dayline.model.upkeep.mirror import FIRST_SOURCE_SLOT, MAX_SLOTS, is_mirror, origin_of
from dayline.runtime.background import BackgroundWorkers
from dayline.storage.operations.children import ChildFailed
from dayline.storage.store import Store
from dayline.storage.writing.mirrors import SOURCES_KEY

INTERVAL_S: Final = 60.0  # aw-sync writes every five minutes
INITIAL_DELAY_S: Final = 6.0  # after a start, which has more urgent work
_HINT: Final = "dayline sync source shows what to do"


class _Files(Struct):
    """What the folders have, by device; `folders` says for each why it cannot be read, or what is in it."""

    folders: dict[str, Listed | str] = {}
    devices: dict[str, list[tuple[str, DatabaseFile]]] = {}


class Sources:
    """Use on the event loop. One call works at a time; a pass in the background waits for it."""

    def __init__(
        self,
        store: Store,
        *,
        scratch: Callable[[], Path],
        clock: Callable[[], Microseconds],
        hostname: str,
        background: BackgroundWorkers,
        can_write: Callable[[], bool],
        tenant: str = "",
    ) -> None:
        self._store = store
        self._mirrors = store.mirrors
        self._scratch = scratch
        self._clock = clock
        self._hostname = hostname
        self._can_write = can_write
        self._applying = SourceMirrors(store.mirrors)
        self._lock = asyncio.Lock()
        self._task = background.task(
            "sync sources",
            self._run_in_background,
            interval_s=INTERVAL_S,
            initial_delay_s=INITIAL_DELAY_S,
            retry_s=INTERVAL_S,
            max_retry_s=4 * INTERVAL_S,
            hint=_HINT,
            tenant=tenant,
        )

    def resume(self) -> None:
        """Read the folders in the background from now on."""
        self._task.start()

    async def close(self) -> None:
        """Stop. What was interrupted is repeated."""
        await self._task.close()

    async def reports(self) -> list[SourceReport]:
        """All folders with their devices. Their files are listed, and not read."""
        state = await asyncio.to_thread(read_sources, self._mirrors)
        return await asyncio.to_thread(self._reports, state)

    async def add(self, path: str) -> SourceReport:
        """Mirror the devices of a folder, from now on. Raises Conflict, Invalid and Unavailable."""
        folder = await asyncio.to_thread(_checked, path)
        async with self._lock:
            state = await asyncio.to_thread(read_sources, self._mirrors)
            if str(folder) in state.paths:
                raise Conflict(f"{folder} is a source already", hint="read it now with: dayline sync now")
            _check_outside(folder, state.paths)
            await self._keep(structs.replace(state, paths=[*state.paths, str(folder)]))
            await self._run()
        self._task.start()
        return next(report for report in await self.reports() if report.path == str(folder))

    async def remove(self, path: str, *, deletes_mirrors: bool) -> None:
        """Do not read a folder any more. Its mirrors stay, read-only, or are deleted; that can be done later.

        Raises NotFound.
        """
        async with self._lock, self._mirrors.lease() as fence:
            state = await asyncio.to_thread(read_sources, self._mirrors)
            folder = path if path in state.paths else str(Path(path.replace("\0", "")).resolve())
            devices = [device for device, known in state.devices.items() if known.source == folder]
            if folder not in state.paths and not (deletes_mirrors and devices):
                raise NotFound(f"{path[:200]} is not a source", hint="list the sources with: dayline sync source")
            state = structs.replace(state, paths=[each for each in state.paths if each != folder])
            await self._keep(state)
            if not deletes_mirrors:
                return
            for stored in await asyncio.to_thread(self._mirrors.buckets):
                origin = origin_of(stored.bucket)
                if origin is not None and origin.device in devices:
                    await self._mirrors.delete(stored.key, fence=fence)
            for device in devices:
                self._applying.forget(device)
            others = {device: known for device, known in state.devices.items() if device not in devices}
            await self._keep(structs.replace(state, devices=others))

    async def run(self) -> list[SourceReport]:
        """Read what has changed. Returns all folders with their devices."""
        async with self._lock:
            await self._run()
        return await self.reports()

    async def _run(self) -> None:
        if not self._can_write():
            return
        state = await asyncio.to_thread(read_sources, self._mirrors)
        files_of_sources = await asyncio.to_thread(_found, state.paths)
        for device, files in files_of_sources.devices.items():
            state = await self._update(state, device, files)

    async def _update(
        self, state: SourcesState, device: str, files: Sequence[tuple[str, DatabaseFile]]
    ) -> SourcesState:
        """Read a device if one of its files has changed."""
        known = state.devices.get(device)
        stamps = await asyncio.to_thread(_stamps, files)
        if known is not None and {path: file.stamp for path, file in known.files.items()} == stamps:
            return state
        if known is None:
            slot = await asyncio.to_thread(self._free_slot, state)
            known = KnownDevice(name=files[0][1].hostname or files[0][1].device, source=files[0][0], slot=slot)
            state = structs.replace(state, devices=state.devices | {device: known})
            await self._keep(state)  # before anything has an id of its slot
        known = structs.replace(known, source=files[0][0])
        known = await self._read(known, device, [file.path for _, file in files], stamps)
        state = structs.replace(state, devices=state.devices | {device: known})
        await self._keep(state)
        return state

    async def _read(
        self, known: KnownDevice, device: str, paths: Sequence[Path], stamps: dict[str, Stamp]
    ) -> KnownDevice:
        newest = sorted(paths, key=lambda path: _age(stamps[str(path)]), reverse=True)
        scratch = await asyncio.to_thread(self._scratch)
        target = scratch / "device.db"
        try:
            try:
                reading = await read_in_child(newest, target, scratch)
            except ChildFailed as error:
                return structs.replace(
                    known, files={str(path): KnownFile(stamp=stamps[str(path)], problem=str(error)) for path in paths}
                )
            is_own, problems = await self._apply(known, device, target)
        finally:
            await asyncio.to_thread(shutil.rmtree, scratch, ignore_errors=True)
        files = {path: _file(path, stamp, reading, problems) for path, stamp in stamps.items()}
        return structs.replace(
            known,
            files=files,
            is_own=is_own,
            read=self._clock(),
            repeated=reading.repeated,
            invalid=reading.invalid,
        )

    async def _apply(self, known: KnownDevice, device: str, file: Path) -> tuple[bool, list[str]]:
        """Returns whether the device is this computer, and what could not be added."""
        with opened(file) as read:
            hosts = [bucket.hostname for bucket in await asyncio.to_thread(read.buckets)]
            if self._is_own(hosts):
                return True, []
            async with self._mirrors.lease() as fence:
                target = Target(device=device, name=known.name, slot=known.slot)
                return False, await self._applying.apply(target, read, fence, now=self._clock())

    def _is_own(self, hosts: Sequence[str]) -> bool:
        """Whether these are the buckets of this computer, which records them itself."""
        own = {bucket.hostname for bucket in self._store.buckets().values() if not is_mirror(bucket)}
        return self._hostname in hosts and self._hostname in own

    def _free_slot(self, state: SourcesState) -> int:
        used = max((device.slot + 1 for device in state.devices.values()), default=FIRST_SOURCE_SLOT)
        slot = max(used, self._mirrors.first_free_slot(FIRST_SOURCE_SLOT, MAX_SLOTS))
        if slot >= MAX_SLOTS:
            raise Unavailable("too many devices of ActivityWatch have been mirrored")
        return slot

    async def _keep(self, state: SourcesState) -> None:
        await self._mirrors.keep({SOURCES_KEY: encoded(state)})

    def _reports(self, state: SourcesState) -> list[SourceReport]:
        files = _found(state.paths)
        return [self._report(path, state, files) for path in state.paths]

    def _report(self, path: str, state: SourcesState, found: _Files) -> SourceReport:
        folder = found.folders[path]
        problem, ignored = (folder, []) if isinstance(folder, str) else (None, folder.ignored)
        here = {device for device, files in found.devices.items() if any(source == path for source, _ in files)}
        known = {device for device, each in state.devices.items() if each.source == path}
        return SourceReport(
            path=path,
            problem=problem,
            devices=[self._device(device, state, found) for device in sorted(here | known)],
            ignored=ignored,
        )

    def _device(self, device: str, state: SourcesState, found: _Files) -> SourceDevice:
        known, files = state.devices.get(device), found.devices.get(device, [])
        mirrors = [
            bucket.id
            for bucket in self._store.buckets().values()
            if (origin := origin_of(bucket)) is not None and origin.device == device
        ]
        kind, text = _state_of(known, files)
        return SourceDevice(
            id=device,
            name=files[0][1].hostname or files[0][1].device if known is None else known.name,
            state=kind,
            text=text,
            read=None if known is None else optional_timestamp(known.read),
            buckets=len(mirrors),
            events=sum(self._store.count(bucket_id, start=None, end=None) for bucket_id in mirrors),
            repeated=0 if known is None else known.repeated,
            invalid=0 if known is None else known.invalid,
        )

    async def _run_in_background(self) -> float:
        faults = [fault for report in await self.run() for fault in report.faults]
        if faults:
            raise Unavailable("; ".join(faults), hint=_HINT)  # health shows it
        return INTERVAL_S


def _checked(path: str) -> Path:
    """The folder at a path that a user gave. Raises Invalid."""
    if "\0" in path or not Path(path).is_absolute():
        raise Invalid(f"{path[:200]} is not an absolute path", hint="pass the whole path of the folder", field="path")
    folder = Path(path).resolve()
    if not folder.is_dir():
        raise Invalid(f"there is no folder {folder}", hint="create it, or mount its drive, and try again", field="path")
    try:
        listing = listed(folder)
    except Unavailable as error:
        raise Invalid(error.message, field="path") from error
    if not listing.files:
        raise Invalid(
            f"{folder} has no database of aw-sync or aw-android",
            hint="pass the folder that they write to, such as ~/ActivityWatchSync, after they have run once",
            field="path",
        )
    return folder


def _check_outside(folder: Path, paths: Sequence[str]) -> None:
    for path in paths:
        if folder.is_relative_to(path) or Path(path).is_relative_to(folder):
            raise Conflict(f"{folder} overlaps the source {path}", hint="remove that source first")


def _found(paths: Sequence[str]) -> _Files:
    files = _Files()
    for path in paths:
        try:
            folder = listed(Path(path))
        except DaylineError as error:
            files.folders[path] = error.message
            continue
        files.folders[path] = folder if folder.files else f"there is no database in {path}: is it mounted?"
        for file in folder.files:
            files.devices.setdefault(device_id(file.device), []).append((path, file))
    return files


def _stamps(files: Sequence[tuple[str, DatabaseFile]]) -> dict[str, Stamp]:
    return {str(file.path): [None if each is None else list(each) for each in stamp_of(file.path)] for _, file in files}


def _age(stamp: Stamp) -> int:
    """When a database was last changed."""
    return max((each[1] for each in stamp if each is not None), default=0)


def _file(path: str, stamp: Stamp, reading: DeviceReading, problems: Sequence[str]) -> KnownFile:
    for problem in reading.problems:
        if problem.path == path:
            return KnownFile(stamp=None if problem.is_temporary else stamp, problem=problem.message)
    return KnownFile(stamp=None if problems else stamp, problem="; ".join(problems) or None)


def _state_of(known: KnownDevice | None, files: Sequence[tuple[str, DatabaseFile]]) -> tuple[SourceState, str]:
    if known is None or known.read is None:
        return "waiting", "its files have not been read yet"
    if not files:
        return "waiting", "its files are missing; what was read of them stays"
    problems = [
        f"{Path(file.path).relative_to(path)}: {problem}"
        for path, file in files
        if (each := known.files.get(str(file.path))) is not None and (problem := each.problem) is not None
    ]
    if problems:
        return "waiting", "; ".join(problems)
    return ("skipped", "it is this computer, which records itself") if known.is_own else ("current", "")
