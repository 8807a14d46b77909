/** The value once it has been the same for `delay` milliseconds. The first one that is not undefined is taken at once. */
export function debounced<T>(value: () => T | undefined, delay: number): { readonly current: T | undefined } {
  let current = $state.raw<T | undefined>(undefined);
  let isFirst = true;
  $effect(() => {
    const next = value();
    if (next === undefined) return;
    const timer = setTimeout(
      () => {
        isFirst = false;
        current = next;
      },
      isFirst ? 0 : delay,
    );
    return () => clearTimeout(timer);
  });
  return {
    get current() {
      return current;
    },
  };
}
