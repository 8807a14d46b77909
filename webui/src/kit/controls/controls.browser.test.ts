// Controls in a real browser, by keyboard.
import { flushSync, mount, unmount } from "svelte";
import { afterEach, expect, it } from "vitest";
import { page, userEvent } from "vitest/browser";
import Segmented from "./Segmented.svelte";
import Switch from "./Switch.svelte";

let component: Record<string, unknown> | undefined;
afterEach(async () => {
  if (component) await unmount(component);
});

it("a segmented control is one stop of Tab, and arrows choose", async () => {
  const chosen: string[] = [];
  component = mount(Segmented, {
    target: document.body,
    props: {
      label: "Period",
      value: "week",
      options: ["day", "week", "month"].map((value) => ({ value, label: value })),
      onchange: (value: string) => void chosen.push(value),
    },
  });
  flushSync();
  await userEvent.keyboard("{Tab}");
  expect((document.activeElement as HTMLInputElement).value).toBe("week");
  await userEvent.keyboard("{ArrowRight}");
  await userEvent.keyboard("{ArrowRight}");
  expect(chosen).toEqual(["month", "day"]);
  await userEvent.keyboard("{Tab}");
  expect(document.activeElement?.tagName).not.toBe("INPUT");
});

it("a switch is toggled with Space", async () => {
  let isOn = false;
  component = mount(Switch, {
    target: document.body,
    props: { label: "Hide titles", checked: false, onchange: (next: boolean) => void (isOn = next) },
  });
  flushSync();
  const control = page.getByRole("switch", { name: "Hide titles" }).element() as HTMLElement;
  control.focus();
  await userEvent.keyboard(" ");
  expect(isOn).toBe(true);
});
