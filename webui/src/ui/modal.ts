// Native modal dialogs: the browser traps the focus, closes them on Esc, and makes the rest of the page inert.

/** For a `<dialog>` that is in the DOM while it is open: shows it, focuses its form, and returns the focus on close. */
export function modal(dialog: HTMLDialogElement): () => void {
  const before = document.activeElement;
  // While the dialog is open the page does not scroll: padding replaces the scrollbar, so that nothing moves.
  const root = document.documentElement;
  root.style.setProperty("--scrollbar-width", `${innerWidth - root.clientWidth}px`);
  dialog.showModal();
  // A form is opened to type into it, so the first field gets the focus, not the close button.
  dialog.querySelector<HTMLElement>(":is(input, select, textarea):not(:disabled)")?.focus();
  return () => {
    dialog.close();
    if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
  };
}

/** Whether a click hit the backdrop, which belongs to the `<dialog>` element itself. */
export function isBeside(event: MouseEvent): boolean {
  const dialog = event.currentTarget;
  if (!(dialog instanceof HTMLElement) || event.target !== dialog) return false;
  const { left, right, top, bottom } = dialog.getBoundingClientRect();
  return event.clientX < left || event.clientX > right || event.clientY < top || event.clientY > bottom;
}
