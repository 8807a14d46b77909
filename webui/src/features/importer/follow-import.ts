// Follows an import to its end, whatever page is open, and offers to undo it.
import { deleteBucket, refreshBuckets } from "../buckets/data";
import { waitForJob } from "../welcome/data";
import type { ImportSurvey, JobView } from "../../core/api/schema";
import { t } from "../../core/i18n/translate.svelte";
import { say, sayDone, sayFailed } from "../../kit/overlays/toasts.svelte";

/** The buckets that an import of these files would create. */
export function createdBy(survey: ImportSurvey): string[] {
  return survey.buckets.filter((bucket) => bucket.is_new).map((bucket) => bucket.id);
}

/** Wait for the end of a job and report it. Undo moves the buckets that it created to the trash. */
export async function followImport(job: JobView, created: readonly string[]): Promise<void> {
  try {
    const ended = await waitForJob(job);
    await refreshBuckets();
    if (ended.state === "failed")
      say(`${t("importer.couldNotImportTheFile")}: ${ended.error?.message ?? t("importer.unknownError")}`);
    if (ended.state !== "done" || !ended.result) return;
    const text = t("importer.importedEvents", { count: ended.result.imported });
    if (created.length === 0) say(text);
    else
      sayDone(text, async () => {
        for (const id of created) await deleteBucket(id);
        await refreshBuckets();
      });
  } catch (error) {
    sayFailed(t("importer.couldNotFollowTheImport"), error);
  }
}
