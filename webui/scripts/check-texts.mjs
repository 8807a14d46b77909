// Fails if a text of the pages is missing in a language, is used by no page, has other placeholders than its callers
// give it, or is written into a component instead of the catalog.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parse } from "svelte/compiler";
import ts from "typescript";

const source = new URL("../src/", import.meta.url).pathname;
const folder = join(source, "core", "i18n");
const problems = [];

/** Words that are the same in every language. */
const NAMES = /^(Dayline|API|JSON|CSV|HTML|EUR|UTC|ms|Ctrl|Alt|Del|[A-Z]\d?)$/;
/** Attributes that are read or read out. */
const ATTRIBUTES = new Set(
  "alt aria-description aria-label aria-roledescription hint label never note placeholder removeLabel text title unit".split(
    " ",
  ),
);
/** Examples of what may be typed, which are no sentences. */
const EXAMPLES = new Set([
  "aw-watcher-*_laptop",
  "aw-watcher-window_*",
  "#rrggbb",
  "(?i)payroll",
  "/home/…/Sync/dayline",
  "dayline_…",
  "rust -youtube domain:doc after:2026-06 dur>2m",
]);
const CODE = new Set(["code", "kbd", "pre", "style", "script", "Kbd"]);

const languages = readdirSync(folder).filter((name) => name.endsWith(".json"));
const texts = new Map(
  languages.map((name) => [name.slice(0, 2), flat(JSON.parse(read(join(folder, name))))]),
);
const english = texts.get("en");
for (const [language, own] of texts) checkLanguage(language, own);

const used = new Set();
for (const file of readdirSync(source, { recursive: true })) {
  if (!/\.(svelte|ts)$/.test(file) || /\.(test|d)\.ts$/.test(file)) continue;
  const code = read(join(source, file));
  if (file.endsWith(".ts")) checkScript(file, code, 0, code, !file.startsWith("core/i18n/"));
  else checkComponent(file, code);
}
for (const key of english.keys()) if (!used.has(key)) problems.push(`en.json: no page uses "${key}"`);

for (const problem of problems) console.error(problem);
console.log(`${english.size} texts in ${[...texts.keys()].join(", ")}`);
process.exit(problems.length > 0 ? 1 : 0);

function checkLanguage(language, own) {
  const plurals = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
  for (const [key, message] of english) {
    const other = own.get(key);
    if (other === undefined) {
      problems.push(`${language}.json: "${key}" is missing`);
      continue;
    }
    if (typeof message !== typeof other)
      problems.push(`${language}.json: "${key}" is plural in one language only`);
    const missing = typeof other === "object" ? plurals.filter((form) => !(form in other)) : [];
    if (missing.length > 0) problems.push(`${language}.json: "${key}" has no form for ${missing.join(", ")}`);
    if (holes(message) !== holes(other))
      problems.push(
        `${language}.json: "${key}" has ${holes(other) || "no placeholders"}, in English ${holes(message)}`,
      );
    if (forms(other).some((text) => /^[\s,.;)]|[\s,(]$/.test(text)))
      problems.push(`${language}.json: "${key}" is a part of a sentence: it needs placeholders for the rest`);
  }
  for (const key of own.keys())
    if (!english.has(key)) problems.push(`${language}.json: "${key}" is not in en.json`);
}

function forms(message) {
  return typeof message === "string" ? [message] : Object.values(message);
}

/** The placeholders of a text; `count` of a plural is one even if no form shows it. */
function holes(message) {
  const names = forms(message).flatMap((text) => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]));
  return [...new Set(typeof message === "string" ? names : [...names, "count"])].sort().join(", ");
}

function checkComponent(file, code) {
  const tree = parse(code, { modern: true });
  for (const script of [tree.module, tree.instance])
    if (script)
      checkScript(
        file,
        code.slice(script.content.start, script.content.end),
        script.content.start,
        code,
        script === tree.module,
      );
  visit(tree.fragment, false);

  function visit(node, isCode) {
    if (!node || typeof node !== "object") return;
    if (Array.isArray(node)) return node.forEach((each) => visit(each, isCode));
    if (node.type === "Text") {
      if (!isCode) checkLiteral(file, code, node.start, node.data);
      return;
    }
    if (node.type === "Attribute") {
      for (const part of Array.isArray(node.value) ? node.value : [node.value])
        if (part?.type === "Text") {
          if (ATTRIBUTES.has(node.name)) checkLiteral(file, code, node.start, part.data);
        } else if (part?.type === "ExpressionTag") visit(part, isCode);
      return;
    }
    if (node.type === "StyleDirective") return;
    if (node.type === "ExpressionTag" || node.type === "ConstTag" || node.type === "RenderTag") {
      const { start, end } = node.expression ?? node.declaration;
      checkScript(file, `(${code.slice(start, end)})`, start - 1, code, false);
      return;
    }
    for (const [name, value] of Object.entries(node)) {
      if (name === "metadata" || !value || typeof value !== "object") continue;
      const isExpression = value.start !== undefined && ["expression", "test", "key"].includes(name);
      if (isExpression)
        checkScript(file, `(${code.slice(value.start, value.end)})`, value.start - 1, code, false);
      else visit(value, isCode || CODE.has(node.name));
    }
  }
}

function checkLiteral(file, code, place, text) {
  const words = text.trim();
  if (!/\p{L}{2}/u.test(words) || EXAMPLES.has(words)) return;
  if (words.split(/[\s·,.:…“”()/]+/).every((word) => !/\p{L}{2}/u.test(word) || NAMES.test(word))) return;
  problems.push(`${at(file, code, place)}: "${words}" belongs in en.json`);
}

/** The calls of `t`: with a key of the catalog, with its placeholders, and not before the language is known. */
function checkScript(file, script, offset, code, isModule) {
  const tree = ts.createSourceFile("x.ts", script, ts.ScriptTarget.Latest, true);
  const visit = (node, isLater) => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === "t")
      checkCall(node, isLater);
    // A sentence: what begins with a capital letter and has several words.
    if (ts.isStringLiteral(node) && /^\p{Lu}\p{Ll}* .*\p{Ll}/u.test(node.text) && !isTechnical(node))
      problems.push(`${at(file, code, offset + node.getStart(tree))}: "${node.text}" belongs in en.json`);
    const isBody = ts.isFunctionLike(node) || ts.isPropertyDeclaration(node);
    ts.forEachChild(node, (child) => visit(child, isLater || isBody));
  };
  visit(tree, !isModule);

  function checkCall(node, isLater) {
    const where = at(file, code, offset + node.getStart(tree));
    const [key, values] = node.arguments;
    if (!key || !ts.isStringLiteral(key)) {
      problems.push(`${where}: the key must be written out, so that it can be found`);
      return;
    }
    used.add(key.text);
    const message = english.get(key.text);
    if (message === undefined) problems.push(`${where}: there is no text "${key.text}"`);
    if (!isLater) problems.push(`${where}: "${key.text}" is read once, before the language is known`);
    if (message === undefined || (values && !ts.isObjectLiteralExpression(values))) return;
    const given = (values?.properties ?? []).map((property) => property.name?.getText(tree) ?? "…");
    if (!given.includes("…") && [...given].sort().join(", ") !== holes(message))
      problems.push(
        `${where}: "${key.text}" needs ${holes(message) || "no values"}, got ${given.join(", ") || "none"}`,
      );
  }
}

/** The names of keys and browsers, and errors that indicate a defect. */
function isTechnical(node) {
  return /^(Ctrl|Shift|Home End|Mac OS)\b/.test(node.text) || ts.isNewExpression(node.parent);
}

function at(file, code, place) {
  return `${relative(".", join("src", file))}:${code.slice(0, place).split("\n").length}`;
}

function flat(groups) {
  return new Map(
    Object.entries(groups).flatMap(([group, own]) =>
      Object.entries(own).map(([key, message]) => [`${group}.${key}`, message]),
    ),
  );
}

function read(file) {
  return readFileSync(file, "utf-8");
}
