// Dialogs, menus, popovers and toasts in a real browser, by keyboard.
import { createRawSnippet, flushSync, mount, unmount } from "svelte";
import { afterEach, describe, expect, it } from "vitest";
import { page, userEvent } from "vitest/browser";
import { NotConnected } from "../../core/api/problem";
import Dialog from "./Dialog.svelte";
import Menu from "./Menu.svelte";
import Popover from "./Popover.svelte";
import { say, sayDone } from "./toasts.svelte";
import Toaster from "./Toaster.svelte";
import TypeToConfirm from "./TypeToConfirm.svelte";

const mounted: Record<string, unknown>[] = [];
const html = (markup: string) => createRawSnippet(() => ({ render: () => markup }));

function keep(component: Record<string, unknown>): void {
  mounted.push(component);
  flushSync();
}

/** A button with the focus, from which an overlay is opened. */
function opener(): HTMLButtonElement {
  const button = document.createElement("button");
  button.textContent = "Open";
  document.body.append(button);
  button.focus();
  return button;
}

const focused = () => document.activeElement as HTMLElement;

afterEach(async () => {
  for (const each of mounted.splice(0)) await unmount(each);
  document.body.replaceChildren();
});

describe("a dialog", () => {
  function dialog() {
    const state = $state({ open: false, closed: 0 });
    keep(
      mount(Dialog, {
        target: document.body,
        props: {
          get open() {
            return state.open;
          },
          set open(open) {
            state.open = open;
          },
          title: "Rename",
          children: html("<div><label>Name <input></label><button>Save</button></div>"),
          onclose: () => (state.closed += 1),
        },
      }),
    );
    return state;
  }

  it("opens with the focus in its first field, and returns it on Escape", async () => {
    const button = opener();
    const state = dialog();
    state.open = true;
    flushSync();
    expect(focused().tagName).toBe("INPUT");
    await userEvent.keyboard("{Escape}");
    expect(page.getByRole("dialog").elements()).toEqual([]);
    expect(focused()).toBe(button);
    expect(state).toEqual({ open: false, closed: 1 });
  });

  it("keeps the focus inside", async () => {
    const button = opener();
    dialog().open = true;
    flushSync();
    for (let press = 0; press < 4; press += 1) {
      await userEvent.keyboard("{Tab}");
      expect(focused()).not.toBe(button);
    }
  });

  it("closes with its button, by keyboard", async () => {
    const button = opener();
    const state = dialog();
    state.open = true;
    flushSync();
    await userEvent.keyboard("{Shift>}{Tab}{/Shift}");
    expect(focused().getAttribute("aria-label")).toBe("Close");
    await userEvent.keyboard("{Enter}");
    expect(focused()).toBe(button);
    expect(state.closed).toBe(1);
  });
});

describe("a menu", () => {
  function menu() {
    const chosen: string[] = [];
    const item = (label: string) => ({ label, run: () => void chosen.push(label) });
    keep(
      mount(Menu, {
        target: document.body,
        props: {
          label: "Actions",
          items: [item("Edit"), { ...item("Move"), disabled: true }, item("Delete"), item("Export")],
          children: html("<span>⋯</span>"),
        },
      }),
    );
    return { chosen, button: page.getByRole("button", { name: "Actions" }).element() as HTMLElement };
  }

  it("opens with Enter on its first item, and arrows skip what is disabled", async () => {
    const { button } = menu();
    button.focus();
    await userEvent.keyboard("{Enter}");
    await expect.poll(() => focused().textContent?.trim()).toBe("Edit");
    await userEvent.keyboard("{ArrowDown}");
    expect(focused().textContent?.trim()).toBe("Delete");
    await userEvent.keyboard("{End}");
    expect(focused().textContent?.trim()).toBe("Export");
    await userEvent.keyboard("{ArrowDown}");
    expect(focused().textContent?.trim()).toBe("Edit");
  });

  it("runs the chosen item once, and returns the focus", async () => {
    const { button, chosen } = menu();
    button.focus();
    await userEvent.keyboard("{Enter}");
    await expect.poll(() => focused().textContent?.trim()).toBe("Edit");
    await userEvent.keyboard("d");
    await userEvent.keyboard("{Enter}");
    expect(chosen).toEqual(["Delete"]);
    await expect.poll(focused).toBe(button);
  });

  it("closes on Escape without a choice", async () => {
    const { button, chosen } = menu();
    button.focus();
    await userEvent.keyboard("{Enter}");
    await expect.poll(() => focused().textContent?.trim()).toBe("Edit");
    await userEvent.keyboard("{Escape}");
    await expect.poll(focused).toBe(button);
    expect(button.getAttribute("aria-expanded")).toBe("false");
    expect(chosen).toEqual([]);
  });
});

describe("a popover", () => {
  it("opens on its first control, and Escape returns the focus", async () => {
    keep(
      mount(Popover, {
        target: document.body,
        props: {
          label: "Choose a date",
          trigger: html("<span>Today</span>"),
          children: html("<div><input aria-label='Date'></div>"),
        },
      }),
    );
    const button = page.getByRole("button", { name: "Today" }).element() as HTMLElement;
    button.focus();
    await userEvent.keyboard(" ");
    await expect.poll(() => focused().getAttribute("aria-label")).toBe("Date");
    await userEvent.keyboard("{Escape}");
    await expect.poll(focused).toBe(button);
  });
});

describe("a toast", () => {
  it("undoes what was done, once, by keyboard", async () => {
    keep(mount(Toaster, { target: document.body, props: {} }));
    let undone = 0;
    sayDone("Deleted 2 events", async () => {
      undone += 1;
    });
    flushSync();
    expect(page.getByRole("status").element().textContent).toContain("Deleted 2 events");
    await userEvent.keyboard("{Tab}");
    expect(focused().textContent).toContain("Undo");
    await userEvent.keyboard("{Enter}");
    await expect
      .poll(() => page.getByRole("status").element().textContent)
      .toContain("Undone: Deleted 2 events");
    expect(undone).toBe(1);
    expect(page.getByRole("button", { name: /Undo/ }).elements()).toEqual([]);
  });

  it("reports why an undo failed", async () => {
    keep(mount(Toaster, { target: document.body, props: {} }));
    sayDone("Renamed the bucket", () => Promise.reject(new NotConnected()));
    flushSync();
    (page.getByRole("button", { name: /Undo/ }).element() as HTMLElement).focus();
    await userEvent.keyboard("{Enter}");
    await expect
      .poll(() => page.getByRole("status").element().textContent)
      .toContain(new NotConnected().message);
  });

  it("is dismissed by keyboard", async () => {
    keep(mount(Toaster, { target: document.body, props: {} }));
    say("Copied the link");
    flushSync();
    const dismiss = page.getByText("Copied the link").element().parentElement?.querySelector("button");
    dismiss?.focus();
    await userEvent.keyboard("{Enter}");
    expect(page.getByText("Copied the link").elements()).toEqual([]);
  });
});

describe("a confirmation by a typed word", () => {
  it("confirms with Enter only after the word was typed", async () => {
    let confirmed = 0;
    keep(
      mount(TypeToConfirm, {
        target: document.body,
        props: {
          title: "Delete the bucket",
          description: "This permanently deletes all its events.",
          word: "laptop",
          action: "Delete",
          onconfirm: () => (confirmed += 1),
          onclose: () => undefined,
        },
      }),
    );
    expect(focused().tagName).toBe("INPUT");
    await userEvent.keyboard("lap{Enter}");
    expect(confirmed).toBe(0);
    await userEvent.keyboard("top{Enter}");
    expect(confirmed).toBe(1);
  });
});
