// Where lanes stand: those of a device together under its name.
import type { Lane } from "./model";

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

/** `lane` is the height of a lane in pixels. Where each device is one lane, its name needs no line of its own. */
export function layoutOf(lanes: readonly Lane[], lane: number): Layout {
  const rows: Row[] = [];
  let top = 0;
  const devices = [...new Set(lanes.map((each) => each.device))];
  for (const device of devices) {
    const those = lanes.filter((each) => each.device === device);
    if (those.some((each) => each.bucket !== null)) {
      rows.push({ kind: "device", top, height: HEADING, device });
      top += HEADING;
    }
    for (const each of those) {
      // A device that is one lane is all there is of it, and has room.
      const height = each.bucket === null ? 2 * lane : lane;
      rows.push({ kind: "lane", top, height, lane: each, device });
      top += height + GAP;
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

const TYPES = ["currentwindow", "afkstatus", "web.tab", "app.editor"];

/** The lanes of buckets in the order of the server: devices as they come, then by what they watch. */
export function lanesOf(
  buckets: readonly { readonly id: string; readonly device: string; readonly type: string }[],
): Lane[] {
  const devices = [...new Set(buckets.map(({ device }) => device))];
  const rank = (type: string) => {
    const place = TYPES.findIndex((each) => type.startsWith(each));
    return type.startsWith("dayline.annotation") ? TYPES.length + 1 : place < 0 ? TYPES.length : place;
  };
  return buckets
    .map(({ id, device, type }) => ({ id, bucket: id, device, type }))
    .sort(
      (one, other) =>
        devices.indexOf(one.device) - devices.indexOf(other.device) || rank(one.type) - rank(other.type),
    );
}

const NAMES: Readonly<Record<string, string>> = {
  currentwindow: "Windows",
  afkstatus: "Away",
  "web.tab.current": "Tabs",
  "app.editor.activity": "Editor",
  annotation: "Notes",
  "dayline.annotation": "Notes",
  "general.stopwatch": "Timer",
};

/** What a lane is called under its device's name. */
export function laneName(lane: Lane): string {
  if (lane.bucket === null) return lane.device;
  const name = NAMES[lane.type];
  const browser = /^aw-watcher-web-([^_]+)/.exec(lane.bucket)?.[1];
  if (name === "Tabs" && browser) return `Tabs · ${browser}`;
  const editor = lane.type === "app.editor.activity" && /^aw-watcher-([^_]+)/.exec(lane.bucket)?.[1];
  if (editor) return `Editor · ${editor}`;
  return name ?? (lane.type || lane.bucket);
}
