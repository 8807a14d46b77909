// Saved views: a page with its range and filters, under a name.
import { formatHash, parseHash, type Route } from "../../core/url/route";

export interface SavedView {
  readonly name: string;
  /** The address within the page: "#/today?filter=…". */
  readonly hash: string;
}

/** Parameters of what is open on a page, which are not part of a view. */
const OPEN = ["select", "event", "inside", "annotate", "timer", "goal"];

/** The address of a view, the same for every order of its parameters. */
export function viewHash({ path, params }: Route): string {
  const kept = new URLSearchParams([...params].filter(([name]) => !OPEN.includes(name)));
  kept.sort();
  return formatHash(path.length > 0 ? path : ["today"], kept);
}

export function isSameView(saved: SavedView, route: Route): boolean {
  return viewHash(parseHash(saved.hash)) === viewHash(route);
}

/** Whether a view always shows the same dates, and not the current ones. */
export function hasDates({ params }: Route): boolean {
  return params.has("date") || params.has("start");
}

/** What other programs may have written into the setting is left out, and so are links to elsewhere. */
export function savedViewsOf(value: unknown): SavedView[] {
  return Array.isArray(value) ? (value as unknown[]).filter(isSavedView) : [];
}

function isSavedView(value: unknown): value is SavedView {
  const view = value as Partial<SavedView> | null;
  return typeof view?.name === "string" && typeof view.hash === "string" && view.hash.startsWith("#/");
}

/** The list with a view added or renamed; a view of the same name is replaced. */
export function withView(
  list: readonly SavedView[],
  view: SavedView,
  former: SavedView | undefined,
): SavedView[] {
  const others = list.filter(({ name }) => name !== view.name || name === former?.name);
  return former && others.some(({ name }) => name === former.name)
    ? others.map((each) => (each.name === former.name ? view : each))
    : [...others, view];
}
