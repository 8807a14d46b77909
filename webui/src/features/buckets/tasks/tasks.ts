// The actions for a bucket.
import Download from "@lucide/svelte/icons/download";
import ExternalLink from "@lucide/svelte/icons/arrow-right";
import FoldVertical from "@lucide/svelte/icons/fold-vertical";
import Merge from "@lucide/svelte/icons/merge";
import MonitorSmartphone from "@lucide/svelte/icons/monitor-smartphone";
import Pencil from "@lucide/svelte/icons/pencil";
import Trash2 from "@lucide/svelte/icons/trash-2";
import { deleteBucket, EXPORT_FORMATS, exportAddress, refreshBuckets } from "../data";
import type { BucketState } from "../../../core/api/schema";
import { t } from "../../../core/i18n/translate.svelte";
import { formatHash } from "../../../core/url/route";
import type { MenuItem } from "../../../kit/overlays/Menu.svelte";
import { sayDone, sayFailed } from "../../../kit/overlays/toasts.svelte";

export type TaskKind = "rename" | "merge" | "move";
export interface Task {
  readonly kind: TaskKind;
  readonly bucket: BucketState;
}

export function bucketAddress(id: string): string {
  return formatHash(["buckets", id]);
}

export function tabAddress(tab: string, more: Record<string, string> = {}): string {
  return formatHash(["buckets"], new URLSearchParams(tab ? { tab, ...more } : more));
}

interface Choices {
  readonly mayChange: boolean;
  readonly begin: (kind: TaskKind) => void;
  readonly remove: () => void;
  /** Whether the bucket is open already. */
  readonly isOpen?: boolean;
}

export function menuOf(
  bucket: BucketState,
  { mayChange, begin, remove, isOpen = false }: Choices,
): MenuItem[] {
  const open: MenuItem[] = isOpen
    ? []
    : [{ label: t("buckets.open"), icon: ExternalLink, href: bucketAddress(bucket.id) }];
  const exports: MenuItem[] = EXPORT_FORMATS.map(({ format, label }, place) => ({
    label: t("buckets.exportAs", { label }),
    icon: Download,
    href: exportAddress(format, bucket.id),
    separated: place === 0 && (mayChange || !isOpen),
  }));
  if (!mayChange) return [...open, ...exports];
  return [
    ...open,
    { label: t("common.renameMenu"), icon: Pencil, run: () => begin("rename") },
    { label: t("buckets.mergeInto"), icon: Merge, run: () => begin("merge") },
    { label: t("buckets.moveToDevice"), icon: MonitorSmartphone, run: () => begin("move") },
    { label: t("buckets.retention"), icon: FoldVertical, href: tabAddress("space", { bucket: bucket.id }) },
    ...exports,
    { label: t("common.delete"), icon: Trash2, danger: true, separated: true, run: remove },
  ];
}

/** Move a bucket to the trash, with undo. */
export async function removeBucket(bucket: BucketState): Promise<boolean> {
  try {
    const undo = await deleteBucket(bucket.id);
    await refreshBuckets();
    sayDone(t("buckets.movedToTheTrash", { id: bucket.id }), undo);
    return true;
  } catch (error) {
    sayFailed(t("buckets.couldNotDelete", { id: bucket.id }), error);
    return false;
  }
}
