// The position of the cursor in a query, for completion and signature help. A query being typed is rarely complete,
// so this only reads tokens and never fails.

export interface Call {
  readonly name: string;
  /** Index of the argument at the cursor. */
  readonly argument: number;
}

export interface Place {
  readonly kind: "name" | "string" | "comment";
  /** Start of the name or string being typed. */
  readonly from: number;
  /** What is typed of it. */
  readonly prefix: string;
  /** The innermost call around it. */
  readonly call: Call | undefined;
}

type Open = { kind: "call"; name: string; argument: number } | { kind: "list" };

export function placeAt(text: string, position: number): Place {
  const open: Open[] = [];
  let word = "";
  let at = 0;
  const call = () => {
    const found = open.findLast((each) => each.kind === "call");
    return found && { name: found.name, argument: found.argument };
  };
  while (at < position) {
    const character = text.charAt(at);
    if (character === "#") {
      const end = text.indexOf("\n", at);
      if (end < 0 || end >= position) return { kind: "comment", from: position, prefix: "", call: undefined };
      at = end;
    } else if (character === '"' || character === "'") {
      const end = endOfString(text, at);
      if (end >= position)
        return { kind: "string", from: at + 1, prefix: text.slice(at + 1, position), call: call() };
      at = end + 1;
    } else {
      const name = /^[\p{L}_$][\p{L}\p{N}_$]*/u.exec(text.slice(at, at + 200))?.[0];
      if (name) {
        word = name;
        if (at + name.length >= position)
          return { kind: "name", from: at, prefix: text.slice(at, position), call: call() };
        at += name.length;
        continue;
      }
      const top = open.at(-1);
      if (character === "(") open.push({ kind: "call", name: word, argument: 0 });
      else if (character === "[" || character === "{") open.push({ kind: "list" });
      else if (character === ")" || character === "]" || character === "}") open.pop();
      else if (character === "," && top?.kind === "call") top.argument += 1;
      else if (character === ";") open.length = 0;
      if (!/\s/.test(character)) word = "";
      at += 1;
    }
  }
  return { kind: "name", from: position, prefix: "", call: call() };
}

/** The position of the closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
  const quote = text.charAt(start);
  let at = start + 1;
  while (at < text.length && text.charAt(at) !== quote) at += text.charAt(at) === "\\" ? 2 : 1;
  return Math.min(at, text.length);
}

/** The names that a query assigns, in order. */
export function assignedNames(text: string): string[] {
  const code = text.replace(/#.*|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?/g, (found) =>
    " ".repeat(found.length),
  );
  const names = [...code.matchAll(/(?:^|[;{}\n])\s*([\p{L}_$][\p{L}\p{N}_$]*)\s*=(?!=)/gu)].map(
    (match) => match[1] ?? "",
  );
  return [...new Set(names)];
}

/** The offset of a line and column, both from 1. */
export function positionOf(text: string, line: number, column: number): number {
  let start = 0;
  for (let passed = 1; passed < line; passed++) {
    const end = text.indexOf("\n", start);
    if (end < 0) break;
    start = end + 1;
  }
  const end = text.indexOf("\n", start);
  return Math.min(start + Math.max(0, column - 1), end < 0 ? text.length : end);
}
