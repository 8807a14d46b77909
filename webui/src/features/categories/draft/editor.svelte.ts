// The state of the category editor: the saved list, the edited list and conflicts between them.
import { edited, importCategories, readCategories, restoreVersion, saveCategories } from "../data";
import { Problem } from "../../../core/api/problem";
import { queryClient } from "../../../core/api/queries";
import type { Categories } from "../../../core/api/schema";
import { t } from "../../../core/i18n/translate.svelte";
import { change, repath } from "./edit";
import { merge, type Merged } from "./merge";
import { isSame, prepared, type Category, type Path } from "../rules/rules";
import { sayDone, sayFailed } from "../../../kit/overlays/toasts.svelte";

interface Base {
  /** 0 if no categories have been saved yet. */
  readonly version: number;
  readonly author: string;
  readonly categories: readonly Category[];
}

export interface ConflictState {
  readonly mine: readonly Category[];
  readonly theirs: Base;
  readonly merged: Merged;
  readonly comment: string;
}

const NOTHING: Base = { version: 0, author: "", categories: [] };

export class Editor {
  base = $state.raw<Base>(NOTHING);
  list = $state.raw<readonly Category[]>([]);
  conflict = $state.raw<ConflictState | undefined>(undefined);
  isSaving = $state(false);
  /** What saving would send. */
  readonly prepared = $derived(prepared(this.list));
  readonly isChanged = $derived(!isSame(this.prepared.categories, this.base.categories));
  /** Whether anything changed, even if it cannot be sent yet. */
  readonly isTouched = $derived(!isSame(this.list, this.base.categories));

  /** The saved list. While there are edits here, it is not replaced: saving reports the conflict. */
  take(answer: Categories): void {
    if (answer.version?.number === this.base.version && this.base !== NOTHING) return;
    if (this.isTouched && this.base !== NOTHING) return;
    this.#reset(answer);
  }

  change(list: readonly Category[]): void {
    this.list = list;
  }

  changeOne(path: Path, changes: Partial<Category>): void {
    this.list = change(this.list, path, changes);
  }

  /** Rename a category; returns its new path, or undefined if the name is taken. */
  rename(path: Path, name: string): Path | undefined {
    const to = [...path.slice(0, -1), name];
    const next = repath(this.list, path, to);
    if (next === this.list) return undefined;
    this.list = next;
    return to;
  }

  discard(): void {
    this.list = this.base.categories;
    void this.#read();
  }

  /** Save; returns whether it worked. */
  save(comment = ""): Promise<boolean> {
    return this.#write(this.prepared.categories, comment, t("categories.categoriesSaved"));
  }

  /** Save one change at once, without the other unsaved edits. */
  async saveAtOnce(
    change: (list: readonly Category[]) => readonly Category[],
    what: string,
  ): Promise<boolean> {
    const before = this.base.categories;
    const mine = this.list;
    const hadChanges = this.isTouched;
    const isDone = await this.#write(change(before), what, what);
    if (isDone && hadChanges) this.list = merge(before, mine, this.base.categories).list;
    return isDone;
  }

  /** After a conflict: the list to save, or undefined to take theirs. */
  async resolve(list: readonly Category[] | undefined): Promise<void> {
    const conflict = this.conflict;
    if (!conflict) return;
    this.base = conflict.theirs;
    this.conflict = undefined;
    if (!list) {
      this.list = conflict.theirs.categories;
      return;
    }
    this.list = list;
    await this.save(conflict.comment);
  }

  /** Restore an earlier version. */
  async restore(version: number): Promise<void> {
    const answer = await restoreVersion(version);
    this.#reset(answer);
    await this.#refresh();
    const before = answer.previous;
    if (before !== null) sayDone(t("categories.restoredVersion", { version }), () => this.#back(before));
  }

  /** Import a document at once; returns whether it worked. */
  async importDocument(document: unknown, mode: "merge" | "replace"): Promise<boolean> {
    try {
      const before = this.base.version;
      const result = await importCategories(document, mode, false);
      this.#reset(await readCategories());
      await this.#refresh();
      const count = result.categories.filter(({ outcome }) => outcome !== "same").length;
      sayDone(t("categories.importedCategoriesChanged", { count }), () => this.#back(before || undefined));
      return true;
    } catch (error) {
      sayFailed(t("categories.couldNotImportTheCategories"), error);
      return false;
    }
  }

  async #write(list: readonly Category[], comment: string, what: string): Promise<boolean> {
    if (this.isSaving) return false;
    this.isSaving = true;
    try {
      const answer = await saveCategories(list, this.base.version, comment);
      this.#reset(answer);
      await this.#refresh();
      // Without an earlier version, undo restores the empty list.
      sayDone(what, () => this.#back(answer.previous ?? undefined));
      return true;
    } catch (error) {
      if (error instanceof Problem && error.status === 412) await this.#collide(list, comment);
      else sayFailed(t("categories.couldNotSaveTheCategories"), error);
      return false;
    } finally {
      this.isSaving = false;
    }
  }

  async #collide(mine: readonly Category[], comment: string): Promise<void> {
    try {
      const theirs = baseOf(await readCategories());
      this.conflict = { mine, theirs, merged: merge(this.base.categories, mine, theirs.categories), comment };
    } catch (error) {
      sayFailed(t("categories.theCategoriesWereChangedElsewhere"), error);
    }
  }

  async #back(version: number | undefined): Promise<void> {
    const answer =
      version === undefined
        ? await saveCategories([], this.base.version, "undo")
        : await restoreVersion(version);
    this.#reset(answer);
    await this.#refresh();
  }

  async #read(): Promise<void> {
    await queryClient.invalidateQueries({ queryKey: ["categories"], exact: true });
  }

  #reset(answer: Categories): void {
    this.base = baseOf(answer);
    this.list = this.base.categories;
  }

  /** Invalidate everything that contains categories. */
  async #refresh(): Promise<void> {
    await queryClient.invalidateQueries({
      predicate: ({ queryKey }) =>
        ["categories", "data", "now", "preview", "search"].includes(String(queryKey[0])),
    });
  }
}

function baseOf(answer: Categories): Base {
  return {
    version: answer.version?.number ?? 0,
    author: answer.version?.author ?? "",
    categories: edited(answer),
  };
}
