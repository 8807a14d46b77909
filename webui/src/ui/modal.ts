// The browser's own windows in front of everything: it keeps the focus inside, closes them by Esc, and makes the rest inert.

/** For a `<dialog>` that is in the page as long as it is open: shows it, begins at its form, gives the focus back. */
export function modal(dialog: HTMLDialogElement): () => void {
  const before = document.activeElement;
  dialog.showModal();
  // Whoever opens a form wants to type, not to close it.
  dialog.querySelector<HTMLElement>(":is(input, select, textarea):not(:disabled)")?.focus();
  return () => {
    dialog.close();
    if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
  };
}

/** Whether somebody clicked beside the window: on what dims the page, which belongs to the `<dialog>` itself. */
export function isBeside(event: MouseEvent): boolean {
  const dialog = event.currentTarget;
  if (!(dialog instanceof HTMLElement) || event.target !== dialog) return false;
  const { left, right, top, bottom } = dialog.getBoundingClientRect();
  return event.clientX < left || event.clientX > right || event.clientY < top || event.clientY > bottom;
}
