/** A derived value that stays the same object while it is equal, so that nothing that follows from it changes. */
export function stable<T>(value: () => T): { readonly current: T } {
  let last: { readonly value: T } | undefined;
  const current = $derived.by(() => {
    const next = value();
    if (!last || !isEqual(last.value, next)) last = { value: next };
    return last.value;
  });
  return {
    get current() {
      return current;
    },
  };
}

/** Whether two values of plain objects and lists are equal. */
export function isEqual(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [left, right] = [Object.entries(one), new Map(Object.entries(other))];
  return (
    left.length === right.size &&
    left.every(([name, value]) => right.has(name) && isEqual(value, right.get(name)))
  );
}
