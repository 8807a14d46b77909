// Annotations: read, create, change and delete.
import { api, body } from "../../core/api/client";
import { queryClient } from "../../core/api/queries";
import type { AnnotationChange, AnnotationView } from "../../core/api/schema";
import { t } from "../../core/i18n/translate.svelte";
import { sayDone } from "../../kit/overlays/toasts.svelte";
import { noteText } from "./model";

type Fields = Required<Omit<AnnotationChange, "note" | "is_on">>;

/** Change an annotation; without an id, create one. */
export async function saveAnnotation(id: number | undefined, fields: Fields): Promise<void> {
  const saved =
    id === undefined
      ? await body(api.POST("/api/1/annotations", { body: { ...fields, note: "", is_on: true } }))
      : await body(
          api.PATCH("/api/1/annotations/{annotation_id}", {
            params: { path: { annotation_id: id } },
            body: fields,
          }),
        );
  if (saved.undo !== null) sayDone(doneText(id, fields.label), saved.undo);
  void queryClient.invalidateQueries({ queryKey: ["data"] });
}

function doneText(id: number | undefined, label: string): string {
  if (id !== undefined) return t("annotate.changed");
  return label ? t("annotate.annotatedAs", { label }) : t("annotate.annotated");
}

export async function deleteAnnotation(annotation: AnnotationView): Promise<void> {
  const { undo } = await body(
    api.DELETE("/api/1/annotations/{annotation_id}", {
      params: { path: { annotation_id: annotation.id } },
    }),
  );
  sayDone(t("annotate.deleted", { text: noteText(annotation) }), undo);
  void queryClient.invalidateQueries({ queryKey: ["data"] });
}
