// Dialogs that shortcuts and buttons on any page open.
export const dialogs = $state({ filter: false, palette: false, help: false });

let typed = "";

/** Keep a letter that was typed while the palette was loading. */
export function typeEarly(letter: string): void {
  typed += letter;
}

/** What was typed while the palette was loading. */
export function typedEarly(): string {
  const text = typed;
  typed = "";
  return text;
}
