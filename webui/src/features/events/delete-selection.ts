// The parameter of the timeline's address that asks whether to delete the events of its selection.
export const DELETE_SELECTION = "delete";
