import { describe, expect, it } from "vitest";
import { NO_SPANS, type Tile } from "./model";
import { levelOf, neededTiles, tileKey, tileRange, tilesOf, TileStore, TILE, type Address } from "./tiles";

const MINUTE = 60_000;
const day = { start: Date.parse("2026-03-05T00:00:00Z"), end: Date.parse("2026-03-06T00:00:00Z") };

describe("the level", () => {
  it.each([60_000, 3_600_000, 86_400_000, 366 * 86_400_000, 20 * 366 * 86_400_000])(
    "of %i ms has no more than one span for a pixel, and no less than one for two",
    (size) => {
      for (const width of [320, 1200, 3840]) {
        const level = levelOf({ start: 0, end: size }, width);
        const perPixel = size / 1000 / width;
        expect(2 ** level).toBeGreaterThanOrEqual(perPixel * 0.999);
        expect(2 ** level).toBeLessThan(perPixel * 2);
      }
    },
  );
});

describe("tiles", () => {
  it("cover a stretch without a gap", () => {
    const level = levelOf(day, 1200);
    const ranges = tilesOf(day, level).map(tileRange);
    expect(ranges[0]?.start).toBeLessThanOrEqual(day.start);
    expect(ranges.at(-1)?.end).toBeGreaterThanOrEqual(day.end);
    ranges.slice(1).forEach(({ start }, place) => expect(start).toBe(ranges[place]?.end));
  });

  it("are needed for the screen and for one screen on each side", () => {
    const level = levelOf(day, 1200);
    const { seen, beside } = neededTiles(day, level);
    expect(seen.length).toBeLessThanOrEqual(Math.ceil(1200 / TILE) + 1);
    const all = [...seen, ...beside].map(tileRange);
    expect(Math.min(...all.map(({ start }) => start))).toBeLessThanOrEqual(day.start - 86_400_000);
    expect(Math.max(...all.map(({ end }) => end))).toBeGreaterThanOrEqual(day.end + 86_400_000);
    expect(new Set([...seen, ...beside].map(tileKey)).size).toBe(seen.length + beside.length);
  });
});

describe("a store of tiles", () => {
  function make() {
    const asked: { address: Address; signal: AbortSignal; answer: (fails?: boolean) => Promise<void> }[] = [];
    let changes = 0;
    const store = new TileStore(
      (address, signal) =>
        new Promise<Tile>((done, fail) => {
          asked.push({
            address,
            signal,
            answer: async (fails = false) => {
              if (fails) fail(new Error("no"));
              else done({ ...tileRange(address), lanes: [], spans: new Map([["window", NO_SPANS]]) });
              await new Promise((later) => setTimeout(later));
            },
          });
        }),
      () => (changes += 1),
    );
    return { store, asked, changes: () => changes };
  }
  const tile = (level: number, index: number): Address => ({ level, index });
  const screen = (...seen: Address[]) => ({ seen, beside: [] });

  it("asks for what is beside the screen only when the screen is full", async () => {
    const { store, asked } = make();
    store.want({ seen: [tile(0, 1)], beside: [tile(0, 2), tile(0, 0)] });
    expect(asked.map(({ address }) => address.index)).toEqual([1]);
    expect(store.isLoaded([tile(0, 1)])).toBe(false);
    await asked[0]?.answer();
    expect(asked.map(({ address }) => address.index)).toEqual([1, 2, 0]);
    expect(store.isLoaded([tile(0, 1)])).toBe(true);
  });

  it("prefetches nothing while half a screen on each side is loaded", async () => {
    const { store, asked } = make();
    const indexes = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, place) => tile(0, from + place));
    const at = (first: number) => ({
      seen: indexes(first, first + 3),
      near: indexes(first - 2, first + 5),
      beside: [...indexes(first - 4, first - 1), ...indexes(first + 4, first + 7)],
    });
    store.want(at(10));
    for (let place = 0; place < 12; place += 1) await asked[place]?.answer();
    expect(asked.length).toBe(12);
    store.want(at(11));
    store.want(at(12));
    expect(asked.length).toBe(12);
    store.want(at(13));
    await asked.at(-1)?.answer();
    expect(asked.slice(12).map(({ address }) => address.index)).toEqual([18, 19, 20]);
  });

  it("cancels requests that are no longer needed", () => {
    const { store, asked } = make();
    store.want(screen(tile(3, 1)));
    store.want(screen(tile(2, 2)));
    expect(asked.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  });

  it("shows a coarser tile until the finer one is there, and finer ones until the coarser one is", async () => {
    const { store, asked } = make();
    store.want(screen(tile(1, 0)));
    await asked[0]?.answer();
    store.want(screen(tile(0, 1)));
    const stretched = store.parts(tileRange(tile(0, 1)), 0);
    expect(stretched).toMatchObject([{ ...tileRange(tile(0, 1)), tile: tileRange(tile(1, 0)) }]);
    await asked[1]?.answer();
    expect(store.parts(tileRange(tile(0, 1)), 0)).toMatchObject([{ tile: tileRange(tile(0, 1)) }]);
    const { store: other, asked: questions } = make();
    other.want(screen(tile(0, 1)));
    await questions[0]?.answer();
    expect(other.parts(tileRange(tile(1, 0)), 1)).toMatchObject([{ tile: tileRange(tile(0, 1)) }]);
  });

  // It looked only three levels down, so that zooming out quickly left the lanes empty.
  it("shows what was loaded however far one zooms out, until the coarser tile is there", async () => {
    const { store, asked } = make();
    store.want(screen(tile(0, 1)));
    await asked[0]?.answer();
    for (const level of [2, 5, 9]) {
      store.want(screen(tile(level, 0)));
      expect(store.parts(tileRange(tile(level, 0)), level)).toMatchObject([{ tile: tileRange(tile(0, 1)) }]);
    }
  });

  it("reports a tile that failed, and requests it again on retry", async () => {
    const { store, asked } = make();
    store.want(screen(tile(0, 1)));
    await asked[0]?.answer(true);
    expect(store.failures).toMatchObject([tileRange(tile(0, 1))]);
    expect(store.isLoaded([tile(0, 1)])).toBe(true);
    store.retry();
    await asked[1]?.answer();
    expect(store.failures).toEqual([]);
  });

  it("keeps what is old until what is new is there, and asks for no more than that", async () => {
    const { store, asked } = make();
    store.want(screen(tile(0, 1), tile(0, 2)));
    await asked[0]?.answer();
    await asked[1]?.answer();
    store.expire(tileRange(tile(0, 2)));
    expect(asked.slice(2).map(({ address }) => address.index)).toEqual([2]);
    expect(store.isLoaded([tile(0, 1), tile(0, 2)])).toBe(false);
    expect(store.parts(tileRange(tile(0, 2)), 0)).toHaveLength(1);
    await asked[2]?.answer();
    expect(store.isLoaded([tile(0, 1), tile(0, 2)])).toBe(true);
  });

  it("does not take an answer from before a change", async () => {
    const { store, asked, changes } = make();
    store.want(screen(tile(0, 1)));
    store.expire();
    await asked[0]?.answer();
    expect(changes()).toBe(0);
    expect(store.isLoaded([tile(0, 1)])).toBe(false);
    await asked[1]?.answer();
    expect(store.isLoaded([tile(0, 1)])).toBe(true);
  });

  it("holds 64 tiles and forgets those that were used least lately", async () => {
    const { store, asked } = make();
    for (let index = 0; index < 70; index += 1) {
      store.want(screen(tile(0, index)));
      await asked.at(-1)?.answer();
    }
    expect(store.tiles).toHaveLength(64);
    expect(store.parts(tileRange(tile(0, 0)), 0)).toEqual([]);
    expect(store.parts(tileRange(tile(0, 69)), 0)).toHaveLength(1);
  });

  it("does not ask for what lies before the first event or after the last", async () => {
    const { store, asked } = make();
    store.want(screen(tile(0, 1)));
    await asked[0]?.answer();
    store.bounds = { start: 0, end: 30 * MINUTE };
    store.want(screen(tile(0, 100), tile(0, 2)));
    expect(asked.map(({ address }) => address.index)).toEqual([1, 2]);
  });
});
