// The colour of a project in the current theme.
import { createQuery } from "@tanstack/svelte-query";
import { theme } from "../../core/api/colours.svelte";
import { projectQueries } from "./data";

/** A function that returns the colour of a project by its name; call during component initialisation. */
export function useProjectColours(
  isEnabled: () => boolean = () => true,
): (name: string) => string | undefined {
  const known = createQuery(() => ({ ...projectQueries.all(), enabled: isEnabled() }));
  return (name) => {
    const { projects = [], colors = [] } = known.data?.value ?? {};
    return colors[projects.findIndex((each) => each.name === name)]?.[theme.current];
  };
}
