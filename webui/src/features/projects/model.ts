// A project as it is edited, and its rules as text.
import { t } from "../../core/i18n/translate.svelte";
import { pathLabel } from "../../core/text/paths";
import { conditionText, type Condition } from "../categories/rules/rules";
import type { Project } from "./data";

export const NEW_PROJECT: Project = {
  name: "",
  categories: [],
  conditions: [],
  rate: null,
  is_billable: true,
  color: null,
};

/** "Work › ACME, title has ACME"; without rules, what counts instead. */
export function rulesText({ categories, conditions }: Project): string {
  const texts = [
    ...categories.map((path) => pathLabel(path)),
    ...conditions.map((each) => conditionText(each as Condition)),
  ];
  return texts.length ? texts.join(", ") : t("projects.onlyWhatEditorsRecord");
}

/** The project to send: without conditions that are still empty, and without spaces around the name. */
export function prepared(project: Project): Project {
  return {
    ...project,
    name: project.name.trim(),
    conditions: project.conditions.filter(({ field, value }) => field.trim() && value),
  };
}

/** The list with one project replaced, added at the end (`place` undefined), or removed (`project` undefined). */
export function changed(
  list: readonly Project[],
  place: number | undefined,
  project: Project | undefined,
): Project[] {
  if (place === undefined) return project ? [...list, project] : [...list];
  return list.flatMap((each, number) => (number === place ? (project ? [project] : []) : [each]));
}

/** The list with a project moved up or down. */
export function moved(list: readonly Project[], place: number, by: -1 | 1): Project[] {
  const to = place + by;
  const [one, other] = [list[place], list[to]];
  if (!one || !other) return [...list];
  return list.map((each, number) => (number === place ? other : number === to ? one : each));
}
