import { expect, it } from "vitest";
import { tableCsv } from "./table";

it("a chart as CSV has hours and percentages, and escapes formulas", () => {
  const table = {
    caption: "",
    columns: [
      { label: "App", kind: "text" },
      { label: "Time", kind: "time" },
      { label: "Change", kind: "share" },
    ],
    rows: [
      ["=cmd()", 5400, -0.125],
      ["Code", 60, null],
    ],
  } as const;
  expect(tableCsv(table)).toBe("App,Time (h),Change (%)\r\n'=cmd(),1.5,-12.5\r\nCode,0.0167,\r\n");
});
