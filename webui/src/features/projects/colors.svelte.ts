// The color of a project in the current theme.
import { createQuery } from "@tanstack/svelte-query";
import { theme } from "../../core/api/colors.svelte";
import { projectQueries } from "./data";

/** A function that returns the color of a project by its name; call during component initialization. */
export function useProjectColors(
  isEnabled: () => boolean = () => true,
): (name: string) => string | undefined {
  const known = createQuery(() => ({ ...projectQueries.all(), enabled: isEnabled() }));
  return (name) => {
    const { projects = [], colors = [] } = known.data?.value ?? {};
    return colors[projects.findIndex((each) => each.name === name)]?.[theme.current];
  };
}
