// The timeline in tiles: which ones a viewport needs, which are loaded, and what is shown until one arrives.
import type { Piece, Tile } from "./model";
import { NO_SPANS } from "./model";
import type { Viewport } from "../viewport/viewport";

/** How wide a tile is, in pixels of its level. */
export const TILE = 512;
const MOST_TILES = 64;
const AT_ONCE = 4;
const COARSEST = 24;
const FINEST = -8;

/** At level 0 a pixel is a second, at level 1 two, at level -1 half a second. */
export interface Address {
  readonly level: number;
  readonly index: number;
}

/** The level at which no tile has more than one span for a pixel of the screen. */
export function levelOf(viewport: Viewport, width: number): number {
  const seconds = (viewport.end - viewport.start) / 1000 / Math.max(1, width);
  // A little slack, so that rounding does not lead to the next level.
  return Math.min(COARSEST, Math.max(FINEST, Math.ceil(Math.log2(seconds) - 1e-9)));
}

/** How long a tile of a level is, in milliseconds. */
function tileLength(level: number): number {
  return TILE * 2 ** level * 1000;
}

export function tileRange({ level, index }: Address): Viewport {
  const size = tileLength(level);
  return { start: index * size, end: (index + 1) * size };
}

export function tileKey({ level, index }: Address): string {
  return `${level}:${index}`;
}

/** The tiles of a stretch, from left to right. */
export function tilesOf(viewport: Viewport, level: number): Address[] {
  const size = tileLength(level);
  const found: Address[] = [];
  for (let index = Math.floor(viewport.start / size); index * size < viewport.end; index += 1)
    found.push({ level, index });
  return found;
}

export interface Needed {
  /** The tiles on the screen. */
  readonly seen: readonly Address[];
  /** The tiles within one screen on each side, the nearest first. */
  readonly beside: readonly Address[];
  /** Those of `beside` within half a screen. While all of them are loaded, nothing is prefetched. */
  readonly near?: readonly Address[];
}

/** The tiles to load for a viewport. */
export function neededTiles(viewport: Viewport, level: number): Needed {
  const size = viewport.end - viewport.start;
  const seen = tilesOf(viewport, level);
  const names = new Set(seen.map(tileKey));
  const middle = (viewport.start + viewport.end) / 2;
  const distance = (address: Address) => {
    const { start, end } = tileRange(address);
    return Math.abs((start + end) / 2 - middle);
  };
  const beside = tilesOf({ start: viewport.start - size, end: viewport.end + size }, level)
    .filter((address) => !names.has(tileKey(address)))
    .sort((one, other) => distance(one) - distance(other));
  const near = tilesOf({ start: viewport.start - size / 2, end: viewport.end + size / 2 }, level);
  return { seen, beside, near };
}

type Held =
  | { readonly state: "ready"; readonly tile: Tile; readonly isStale: boolean }
  | { readonly state: "failed"; readonly error: unknown };

export interface Part {
  readonly start: number;
  readonly end: number;
  readonly tile: Tile;
}

/** Fetches tiles and keeps the latest of them; says when something changed. */
export class TileStore {
  #held = new Map<string, Held>();
  #asked = new Map<string, AbortController>();
  #wanted: Address[] = [];
  #seen: readonly string[] = [];
  /** What lies outside of this has no events. */
  #bounds: Viewport = { start: -Infinity, end: Infinity };

  constructor(
    private readonly fetchTile: (address: Address, signal: AbortSignal) => Promise<Tile>,
    private readonly changed: () => void,
  ) {}

  set bounds(bounds: Viewport) {
    this.#bounds = bounds;
  }

  /** Load these tiles, those on the screen first, and abort all other requests. */
  want({ seen, beside, near }: Needed): void {
    const prefetched = near?.every((address) => this.#isCurrent(address))
      ? beside.filter((address) => this.#held.has(tileKey(address)) || this.#asked.has(tileKey(address)))
      : beside;
    this.#wanted = [...this.#needed(seen), ...prefetched.filter((address) => !this.#isOutside(address))];
    this.#seen = seen.map(tileKey);
    const names = new Set(this.#wanted.map(tileKey));
    for (const [name, request] of this.#asked) {
      if (names.has(name)) continue;
      this.#asked.delete(name);
      request.abort();
    }
    for (const name of names) this.#touch(name);
    this.#ask();
  }

  /** Everything, or what reaches into a stretch, is asked for again when it is next seen; until then it stays. */
  expire(range?: Viewport): void {
    for (const [name, held] of this.#held) {
      if (held.state === "failed") this.#held.delete(name);
      else if (!range || (held.tile.end > range.start && held.tile.start < range.end))
        this.#held.set(name, { ...held, isStale: true });
    }
    // What is on its way may be of before the change.
    for (const request of this.#asked.values()) request.abort();
    this.#asked.clear();
    this.#ask();
  }

  /** Discard all tiles, because the lanes or the filters changed. */
  clear(): void {
    for (const request of this.#asked.values()) request.abort();
    this.#asked.clear();
    this.#held.clear();
    this.#wanted = [];
    this.#seen = [];
  }

  retry(): void {
    for (const [name, held] of this.#held) if (held.state === "failed") this.#held.delete(name);
    this.#ask();
    this.changed();
  }

  /** Whether these tiles are loaded and up to date, or could not be loaded. */
  isLoaded(seen: readonly Address[]): boolean {
    return this.#needed(seen).every((address) => {
      const held = this.#held.get(tileKey(address));
      return held !== undefined && (held.state === "failed" || !held.isStale);
    });
  }

  /** Whether no request is running, for the screen or beside it. */
  get isIdle(): boolean {
    return this.#asked.size === 0;
  }

  /** The tiles on the screen that could not be loaded, and why. */
  get failures(): { start: number; end: number; error: unknown }[] {
    return this.#wanted.flatMap((address) => {
      const held = this.#held.get(tileKey(address));
      return held?.state === "failed" && this.#seen.includes(tileKey(address))
        ? [{ ...tileRange(address), error: held.error }]
        : [];
    });
  }

  /** The loaded tiles of a range: those of the level, and coarser or finer ones instead of missing ones. */
  parts(viewport: Viewport, level: number): Part[] {
    return tilesOf(viewport, level).flatMap((address) => this.#standIn(address));
  }

  /** All tiles that are there, the ones used last at the end. */
  get tiles(): readonly Tile[] {
    return [...this.#held.values()].flatMap((held) => (held.state === "ready" ? [held.tile] : []));
  }

  #standIn(address: Address): Part[] {
    const range = tileRange(address);
    const exact = this.#ready(address);
    if (exact) return [{ ...range, tile: exact }];
    if (this.#isOutside(address)) return [];
    for (let level = address.level + 1; level <= Math.min(COARSEST, address.level + 8); level += 1) {
      const tile = this.#ready({ level, index: Math.floor(address.index / 2 ** (level - address.level)) });
      if (tile) return [{ ...range, tile }];
    }
    return this.#finer(address);
  }

  /** However far one zooms out, what was loaded stays until the tile is there. */
  #finer({ level, index }: Address): Part[] {
    if (level <= FINEST || !this.#hasWithin(tileRange({ level, index }))) return [];
    return [2 * index, 2 * index + 1].flatMap((each) => {
      const address = { level: level - 1, index: each };
      const tile = this.#ready(address);
      return tile ? [{ ...tileRange(address), tile }] : this.#finer(address);
    });
  }

  #hasWithin({ start, end }: Viewport): boolean {
    for (const held of this.#held.values())
      if (held.state === "ready" && held.tile.start >= start && held.tile.end <= end) return true;
    return false;
  }

  #ready(address: Address): Tile | undefined {
    const held = this.#held.get(tileKey(address));
    return held?.state === "ready" ? held.tile : undefined;
  }

  /** Whether nothing has to be requested for a tile. */
  #isCurrent(address: Address): boolean {
    const held = this.#held.get(tileKey(address));
    return this.#isOutside(address) || (held?.state === "ready" && !held.isStale);
  }

  /** The tiles that may have events, or any one of them as long as no tile has named the lanes. */
  #needed(seen: readonly Address[]): readonly Address[] {
    const inside = seen.filter((address) => !this.#isOutside(address));
    return inside.length === 0 && this.#held.size === 0 ? seen.slice(0, 1) : inside;
  }

  #isOutside(address: Address): boolean {
    const { start, end } = tileRange(address);
    return end <= this.#bounds.start || start >= this.#bounds.end;
  }

  #ask(): void {
    for (const address of this.#wanted) {
      if (this.#asked.size >= AT_ONCE) return;
      const name = tileKey(address);
      const held = this.#held.get(name);
      if (this.#asked.has(name) || (held && !(held.state === "ready" && held.isStale))) continue;
      // What is beside the screen waits until the screen is full.
      if (!this.#seen.includes(name) && this.#seen.some((each) => this.#asked.has(each))) return;
      void this.#fetch(address, name);
    }
  }

  async #fetch(address: Address, name: string): Promise<void> {
    const request = new AbortController();
    this.#asked.set(name, request);
    let held: Held;
    try {
      held = { state: "ready", tile: await this.fetchTile(address, request.signal), isStale: false };
    } catch (error) {
      held = { state: "failed", error };
    }
    if (request.signal.aborted || this.#asked.get(name) !== request) return;
    this.#asked.delete(name);
    this.#held.delete(name);
    this.#held.set(name, held);
    this.#drop();
    this.#ask();
    this.changed();
  }

  #touch(name: string): void {
    const held = this.#held.get(name);
    if (!held) return;
    this.#held.delete(name);
    this.#held.set(name, held);
  }

  #drop(): void {
    const wanted = new Set(this.#wanted.map(tileKey));
    for (const name of this.#held.keys()) {
      if (this.#held.size <= MOST_TILES) return;
      if (!wanted.has(name)) this.#held.delete(name);
    }
  }
}

/** The pieces of one lane in these parts. */
export function piecesOf(parts: readonly Part[], lane: string): Piece[] {
  return parts.map(({ start, end, tile }) => ({ spans: tile.spans.get(lane) ?? NO_SPANS, start, end }));
}
