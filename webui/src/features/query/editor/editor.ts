// The code editor: a real textarea with highlighting beneath it. Its add-ons that need inline styles (completion,
// search, cursor) are not used: the content security policy forbids those, and completion is our own.
import { createEditor, languageMap, type PrismEditor } from "prism-code-editor";
import { defaultKeymap, editorCommands, setIgnoreTab } from "prism-code-editor/commands";
import "prism-code-editor/layout.css";
import { languages } from "prism-code-editor/prism";
import { insertText, setSelection } from "prism-code-editor/utils";

export type Editor = PrismEditor;
export { insertText, setIgnoreTab, setSelection };

const LANGUAGE = "dayline";

languages[LANGUAGE] = {
  comment: /#.*/g,
  string: /"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?/gs,
  keyword: /\b(?:if|elif|else|return)\b/,
  constant: /\b(?:RETURN|STARTTIME|ENDTIME|TIMEINTERVAL|NAME|__CATEGORIES__|[Tt]rue|[Ff]alse)\b/,
  function: /\b[a-z_]\w*(?=\s*\()/i,
  number: /\b\d+(?:\.\d+)?\b/,
  operator: /[=+\-*/%]/,
  punctuation: /[()[\]{},;:]/,
};
languageMap[LANGUAGE] = {
  comments: { line: "#" },
  autoIndent: [
    ([start], value) => /[([{]\s*$/.test(value.slice(value.lastIndexOf("\n", start - 1) + 1, start)),
    ([start, end], value) => /[([{]$/.test(value.slice(0, start)) && /^[)\]}]/.test(value.slice(end)),
  ],
};

/** Ctrl Enter runs the query, so it must not insert a line. */
const KEYS = Object.fromEntries(Object.entries(defaultKeymap).filter(([key]) => key !== "Mod+Enter"));

export function makeEditor(container: HTMLElement, value: string): Editor {
  return createEditor(
    container,
    { language: LANGUAGE, value, tabSize: 2, insertSpaces: true, lineNumbers: true, wordWrap: true },
    editorCommands(KEYS, ['""', "''", "()", "[]", "{}"]),
  );
}

/** The screen position of a character, by line and column from 1. */
export function rectOf(editor: Editor, line: number, column: number): DOMRect | undefined {
  const element = editor.lines[line];
  if (!element) return undefined;
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let left = column - 1;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const length = node.textContent?.length ?? 0;
    if (left < length) {
      const range = document.createRange();
      range.setStart(node, left);
      range.setEnd(node, left + 1);
      // The line feed at the end may have no position of its own.
      const rect = range.getClientRects()[0];
      return rect ?? afterLast(element);
    }
    left -= length;
  }
  return afterLast(element);
}

function afterLast(line: Element): DOMRect {
  const range = document.createRange();
  range.selectNodeContents(line);
  const last = [...range.getClientRects()].at(-1);
  const box = line.getBoundingClientRect();
  return last
    ? new DOMRect(last.right, last.top, 8, last.height)
    : new DOMRect(box.left + parseFloat(getComputedStyle(line).paddingLeft), box.top, 8, box.height);
}

/** The column of an offset, from 1. */
export function columnOf(text: string, position: number): number {
  return position - text.lastIndexOf("\n", position - 1);
}
