/** The index of the menu item that a key moves to: arrows wrap around, letters jump to the next item that starts with them. */
export function nextInMenu(key: string, here: number, labels: readonly string[]): number | undefined {
  const count = labels.length;
  if (count === 0) return undefined;
  if (key === "ArrowDown") return (here + 1) % count;
  if (key === "ArrowUp") return (Math.max(here, 0) - 1 + count) % count;
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  if ([...key].length !== 1 || key === " ") return undefined;
  const wanted = key.toLocaleLowerCase();
  for (let step = 1; step <= count; step += 1) {
    const place = (here + step + count) % count;
    if (labels[place]?.trim().toLocaleLowerCase().startsWith(wanted)) return place;
  }
  return undefined;
}
