// Dialogs that shortcuts and buttons on any page open.
export const dialogs = $state({ filter: false, palette: false, help: false });
