// Windows that keys and buttons from everywhere open.
export const dialogs = $state({ filter: false, palette: false, help: false });
