import Pencil from "@lucide/svelte/icons/pencil";
import Trash2 from "@lucide/svelte/icons/trash-2";
import { t } from "../../core/i18n/translate.svelte";
import type { MenuItem } from "../../kit/overlays/Menu.svelte";
import { deleteView } from "./data";
import type { SavedView } from "./model";
import { nameView } from "./open";

/** What can be done with a saved view. */
export function viewItems(view: SavedView): MenuItem[] {
  return [
    { label: t("common.renameMenu"), icon: Pencil, run: () => void nameView(view) },
    { label: t("common.delete"), icon: Trash2, danger: true, run: () => void deleteView(view) },
  ];
}
