// The review as one HTML page: nothing in it is loaded from elsewhere, so it can be mailed or kept.
import { language, t } from "../../core/i18n/translate.svelte";
import { pathLabel } from "../../core/text/paths";
import { duration } from "../../core/time/duration";
import { shortDay, timeOfDay } from "../../core/time/zone";
import { escaped as text } from "./card";
import { goalText, shareText } from "./text";
import type { Review } from "./model";

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;color:#1c1d21;background:#fff}
h1{font-size:1.5rem;margin:0 0 .25rem}h2{font-size:1.05rem;margin:2rem 0 .5rem}p{margin:.25rem 0}.muted{color:#5b5e68}
table{border-collapse:collapse;width:100%}th{font-weight:400;text-align:left}td{text-align:right;white-space:nowrap}
th,td{padding:.3rem 0;border-top:1px solid #e3e4e8}svg{max-width:100%;height:auto}
@media (prefers-color-scheme:dark){body{color:#e8e9ed;background:#16171b}.muted{color:#a3a6b1}th,td{border-color:#2d2f36}}`;

/** `picture` is the card of the week, as SVG. */
export function reviewDocument(review: Review, picture: string): string {
  const { uncategorized, focus } = review;
  const parts = [
    `<h1>${text(t("review.documentTitle", { week: review.label }))}</h1>`,
    picture,
    section(
      t("review.whereTheTimeWent"),
      rows(review.top.map((row) => [pathLabel(row.path), duration(row.seconds)])),
    ),
    section(
      t("common.biggestChanges"),
      rows(review.changes.map((row) => [keyLabel(row.key), `${row.by > 0 ? "+" : ""}${duration(row.by)}`])),
    ),
    section(
      t("common.longestFocus"),
      focus
        ? `<p>${text(t("review.focusOn", { duration: duration(focus.seconds), category: pathLabel(focus.path), when: `${shortDay(focus.start, review.range.tz)}, ${timeOfDay(focus.start, review.range.tz)} – ${timeOfDay(focus.end, review.range.tz)}` }))}</p>` +
            focus.details.map((line) => `<p class="muted">${text(line)}</p>`).join("")
        : "",
    ),
    section(
      t("common.goals"),
      rows(review.goals.map((goal) => [`${goal.name} (${goal.target})`, goalText(goal)])),
    ),
    section(
      t("common.uncategorized"),
      uncategorized.seconds > 0
        ? `<p>${text(t("review.uncategorizedShare", { duration: duration(uncategorized.seconds), share: shareText(uncategorized.share) }))}</p>` +
            rows(uncategorized.groups.map((group) => [group.name, duration(group.seconds)]))
        : "",
    ),
  ];
  return `<!doctype html>
<html lang="${language.current}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${text(t("review.documentTitle", { week: review.label }))}</title>
<style>${STYLE}</style></head>
<body>
${parts.filter(Boolean).join("\n")}
</body>
</html>
`;
}

function section(title: string, content: string): string {
  return content && `<h2>${text(title)}</h2>\n${content}`;
}

function rows(pairs: readonly (readonly [string, string])[]): string {
  if (pairs.length === 0) return "";
  const lines = pairs.map(
    ([name, value]) => `<tr><th scope="row">${text(name)}</th><td>${text(value)}</td></tr>`,
  );
  return `<table>${lines.join("")}</table>`;
}

function keyLabel(key: string | readonly string[]): string {
  return typeof key === "string" ? key : pathLabel(key);
}
