// The pages: names, shortcuts and icons.
import CalendarClock from "@lucide/svelte/icons/calendar-clock";
import ClipboardCheck from "@lucide/svelte/icons/clipboard-check";
import ChartColumn from "@lucide/svelte/icons/chart-column";
import Database from "@lucide/svelte/icons/database";
import FileText from "@lucide/svelte/icons/file-text";
import GanttChart from "@lucide/svelte/icons/chart-gantt";
import KeyRound from "@lucide/svelte/icons/key-round";
import Save from "@lucide/svelte/icons/archive-restore";
import Search from "@lucide/svelte/icons/search";
import Settings from "@lucide/svelte/icons/settings";
import SquareTerminal from "@lucide/svelte/icons/square-terminal";
import Tags from "@lucide/svelte/icons/tags";
import type { Component } from "svelte";
import { t, type Label } from "../i18n/translate.svelte";
import type { Period } from "../time/period";

export interface Page {
  readonly name: string;
  readonly label: Label;
  readonly icon: Component<{ size?: number | string }>;
  /** The key after `g`. */
  readonly key: string;
  /** Whether it has the context bar. */
  readonly hasView: boolean;
  /** Without a period in its URL it covers all time instead of today. */
  readonly startsWithAll?: boolean;
  /** Needs full access. */
  readonly needsFull: boolean;
  /** The periods that make sense, if not all. */
  readonly periods?: readonly Period[];
  /** False if it has nothing to compare. */
  readonly hasComparison?: boolean;
}

export const PAGES: readonly Page[] = [
  {
    name: "today",
    label: () => t("common.today"),
    icon: CalendarClock,
    key: "t",
    hasView: true,
    needsFull: false,
  },
  {
    name: "timeline",
    label: () => t("common.timeline"),
    icon: GanttChart,
    key: "l",
    hasView: true,
    needsFull: false,
    hasComparison: false,
  },
  {
    name: "trends",
    label: () => t("common.trends"),
    icon: ChartColumn,
    key: "r",
    hasView: true,
    needsFull: false,
    periods: ["week", "month", "year"],
  },
  {
    name: "review",
    label: () => t("common.review"),
    icon: ClipboardCheck,
    key: "w",
    hasView: true,
    needsFull: false,
    periods: ["week"],
    hasComparison: false,
  },
  {
    name: "categories",
    label: () => t("common.categories"),
    icon: Tags,
    key: "c",
    hasView: false,
    needsFull: false,
  },
  {
    name: "search",
    label: () => t("common.search"),
    icon: Search,
    key: "s",
    hasView: true,
    startsWithAll: true,
    needsFull: false,
  },
  {
    name: "reports",
    label: () => t("common.reports"),
    icon: FileText,
    key: "p",
    hasView: true,
    needsFull: false,
    periods: ["week", "month", "year"],
    hasComparison: false,
  },
  {
    name: "query",
    label: () => t("common.query"),
    icon: SquareTerminal,
    key: "q",
    hasView: false,
    needsFull: false,
  },
  {
    name: "buckets",
    label: () => t("common.buckets"),
    icon: Database,
    key: "b",
    hasView: false,
    needsFull: false,
  },
  {
    name: "access",
    label: () => t("common.access"),
    icon: KeyRound,
    key: "a",
    hasView: false,
    needsFull: true,
  },
  {
    name: "backups",
    label: () => t("common.backups"),
    icon: Save,
    key: "u",
    hasView: false,
    needsFull: true,
  },
  {
    name: "settings",
    label: () => t("common.settings"),
    icon: Settings,
    key: ",",
    hasView: false,
    needsFull: true,
  },
];

export function pageNamed(name: string): Page | undefined {
  return PAGES.find((page) => page.name === name);
}
