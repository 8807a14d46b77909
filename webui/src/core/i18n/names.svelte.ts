// German names of what the server lists in English, such as its calls: loaded if the page is in German.
import { language } from "./translate.svelte";

type Names = Readonly<Record<string, string>>;

/** Looks up a list of names, which is loaded at the first use in German. Until then there is no name. */
export function germanNames(load: () => Promise<{ default: Names }>): (key: string) => string | undefined {
  let names = $state.raw<Names>();
  let isLoading = false;
  return (key) => {
    if (language.current !== "de") return undefined;
    if (!names && !isLoading) {
      isLoading = true;
      void load()
        .then((found) => (names = found.default))
        .catch(() => undefined) // the names of the server are shown, and the next use tries again
        .finally(() => (isLoading = false));
    }
    return names?.[key];
  };
}
