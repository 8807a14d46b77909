// The search field's completions in a real browser, by keyboard.
import { flushSync, mount, unmount } from "svelte";
import { afterEach, beforeEach, expect, it } from "vitest";
import { page, userEvent } from "vitest/browser";
import SearchBox from "./SearchBox.svelte";

const KNOWN = { app: ["Firefox", "Code"], device: ["laptop"] };
const state = $state({ value: "", entered: 0, left: 0 });
let component: Record<string, unknown>;
const field = () => page.getByRole("combobox").element() as HTMLInputElement;
const active = () => document.getElementById(field().getAttribute("aria-activedescendant") ?? "");

beforeEach(() => {
  Object.assign(state, { value: "", entered: 0, left: 0 });
  component = mount(SearchBox, {
    target: document.body,
    props: {
      get value() {
        return state.value;
      },
      known: KNOWN,
      oninput: (value: string) => (state.value = value),
      onenter: () => (state.entered += 1),
      onleave: () => (state.left += 1),
    },
  });
  flushSync();
  field().focus();
});
afterEach(() => unmount(component));

it("arrow down opens the completions, and arrows wrap around", async () => {
  await userEvent.keyboard("{ArrowDown}");
  const options = page.getByRole("option").elements();
  expect(field().getAttribute("aria-expanded")).toBe("true");
  expect(active()).toBe(options[0]);
  await userEvent.keyboard("{ArrowUp}");
  expect(active()).toBe(options.at(-1));
  await userEvent.keyboard("{ArrowDown}");
  expect(active()).toBe(options[0]);
});

it("Enter takes a completion, and opens the first hit when there is none", async () => {
  await userEvent.keyboard("app:fi");
  await userEvent.keyboard("{ArrowDown}");
  await userEvent.keyboard("{Enter}");
  await expect.poll(() => field().value.trim()).toBe("app:Firefox");
  expect(state.entered).toBe(0);
  await userEvent.keyboard("{Escape}");
  await userEvent.keyboard("{Enter}");
  expect(state.entered).toBe(1);
});

it("Escape closes the completions and keeps the text", async () => {
  await userEvent.keyboard("app:");
  await userEvent.keyboard("{ArrowDown}");
  await userEvent.keyboard("{Escape}");
  expect(field().getAttribute("aria-expanded")).toBe("false");
  expect(field().value).toBe("app:");
});
