// The position of lanes: those of a device together under its name.
import { t, type Label } from "../../../core/i18n/translate.svelte";
import type { Lane } from "../spans/model";

export interface Row {
  readonly kind: "device" | "lane";
  readonly top: number;
  readonly height: number;
  readonly lane?: Lane;
  readonly device: string;
}

export interface Layout {
  readonly rows: readonly Row[];
  /** The rows that have spans, in the order of the lanes. */
  readonly lanes: readonly (Row & { readonly lane: Lane })[];
  readonly height: number;
}

const HEADING = 24;
const GAP = 4;
const COLLAPSED = 14;
/** A lane grows to fill the screen, but not beyond this. */
const TALLEST = 64;
const LOWEST_DAY = 180;
const HIGHEST_DAY = 420;

export interface LayoutOptions {
  /** The height of the screen that the lanes may fill. */
  readonly minHeight?: number;
  /** The ids of lanes without a span on the screen. */
  readonly empty?: ReadonlySet<string>;
}

/**
 * `least` is the smallest height of a lane in pixels. Lanes with spans share the rest of the screen, lanes without are
 * collapsed. If each device is one lane, its name needs no line of its own.
 */
export function layoutOf(
  lanes: readonly Lane[],
  least: number,
  { minHeight = 0, empty = new Set() }: LayoutOptions = {},
): Layout {
  // The active time of a device, or of all of them, is more important than a single bucket.
  const share = (lane: Lane) => (empty.has(lane.id) ? 0 : lane.bucket === null ? 1.5 : 1);
  const used = new Set(lanes.filter((lane) => !empty.has(lane.id)).map(({ device }) => device));
  // Of a device without a span on the screen the name is enough.
  const collapsed = (lane: Lane) => (used.has(lane.device) ? COLLAPSED : 0);
  const shares = lanes.reduce((sum, lane) => sum + share(lane), 0);
  const rest = minHeight - placed(lanes, (lane) => share(lane) * least || collapsed(lane)).height;
  const height = Math.min(
    Math.max(least, TALLEST),
    least + Math.max(0, Math.floor(rest / Math.max(1, shares))),
  );
  return placed(lanes, (lane) => Math.round(share(lane) * height) || collapsed(lane));
}

/** The one lane of days. */
export function layoutOfDays(minHeight: number): Layout {
  const height = Math.min(HIGHEST_DAY, Math.max(LOWEST_DAY, minHeight - 2 * GAP));
  return placed([DAYS], () => height);
}

/** The lanes of each device together, in the order in which the devices come. */
export function byDevice(lanes: readonly Lane[]): Lane[] {
  const devices = [...new Set(lanes.map(({ device }) => device))];
  return devices.flatMap((device) => lanes.filter((lane) => lane.device === device));
}

function placed(lanes: readonly Lane[], heightOf: (lane: Lane) => number): Layout {
  const rows: Row[] = [];
  let top = 0;
  const devices = [...new Set(lanes.map((each) => each.device))];
  for (const device of devices) {
    const those = lanes.filter((each) => each.device === device);
    if (those.some((each) => each.bucket !== null)) {
      rows.push({ kind: "device", top, height: HEADING, device });
      top += HEADING;
    }
    for (const lane of those) {
      const height = heightOf(lane);
      rows.push({ kind: "lane", top, height, lane, device });
      top += height === 0 ? 0 : height + GAP;
    }
    top += GAP;
  }
  const withSpans = rows.filter((row): row is Row & { lane: Lane } => row.lane !== undefined);
  return { rows, lanes: withSpans, height: top };
}

/** The lane at a height, with half of the gap around it. */
export function laneAt(layout: Layout, y: number): number {
  return layout.lanes.findIndex((row) => y >= row.top - GAP / 2 && y < row.top + row.height + GAP / 2);
}

/** Whether a lane of this type has annotations. */
export function isNote(type: string): boolean {
  return type.startsWith("dayline.annotation");
}

const TYPES = ["currentwindow", "afkstatus", "web.tab", "app.editor"];

/** The lanes of buckets in the order of the server: devices as they come, then by what they watch. */
export function lanesOf(
  buckets: readonly { readonly id: string; readonly device: string; readonly type: string }[],
): Lane[] {
  const devices = [...new Set(buckets.map(({ device }) => device))];
  const rank = (type: string) => {
    const place = TYPES.findIndex((each) => type.startsWith(each));
    return isNote(type) ? TYPES.length + 1 : place < 0 ? TYPES.length : place;
  };
  return buckets
    .map(({ id, device, type }) => ({ id, bucket: id, device, type }))
    .sort(
      (one, other) =>
        devices.indexOf(one.device) - devices.indexOf(other.device) || rank(one.type) - rank(other.type),
    );
}

/** The lanes that the server will answer with for these devices and lanes of the address. */
export function expectedLanes(
  buckets: readonly { readonly id: string; readonly device: string; readonly type: string }[],
  devices: readonly string[],
  lanes: readonly string[],
): Lane[] {
  const isByDevice = lanes[0] === "device";
  const those = buckets.filter(
    ({ id, device }) =>
      (devices.length === 0 || devices.includes(device)) &&
      (lanes.length === 0 || isByDevice || lanes.includes(id)),
  );
  if (!isByDevice) return lanesOf(those);
  const names = [...new Set(those.map(({ device }) => device))];
  return names.map((device) => ({ id: device, bucket: null, device, type: "" }));
}

/** The lane of sessions, above all devices. */
export const SESSIONS: Lane = { id: "sessions", bucket: null, device: "", type: "sessions" };

/** The lane of days, which replaces all others on a long screen. */
export const DAYS: Lane = { id: "days", bucket: null, device: "", type: "days" };

const NAMES: Readonly<Record<string, Label>> = {
  sessions: () => t("timeline.whatIDid"),
  days: () => t("timeline.activeTimePerDay"),
  currentwindow: () => t("common.apps"),
  afkstatus: () => t("common.awayTitle"),
  "web.tab.current": () => t("common.browser"),
  "app.editor.activity": () => t("timeline.editor"),
  annotation: () => t("common.notes"),
  "dayline.annotation": () => t("common.notes"),
  "general.stopwatch": () => t("common.timer"),
};

const SEVERAL_PROGRAMS: ReadonlySet<string> = new Set(["web.tab.current", "app.editor.activity"]);

/** What a lane is called under its device's name; with several browsers or editors, which of them it is. */
export function laneName(lane: Lane, others: readonly Lane[] = []): string {
  const name = NAMES[lane.type]?.();
  if (lane.bucket === null) return name ?? lane.device;
  const isAlone =
    others.filter(({ device, type }) => device === lane.device && type === lane.type).length < 2;
  const program = /^aw-watcher-(?:web-)?([^_]+)/.exec(lane.bucket)?.[1];
  if (!isAlone && program && SEVERAL_PROGRAMS.has(lane.type)) return `${name} · ${program}`;
  return name ?? (lane.type || lane.bucket);
}
