// A text in the code of a built page: two letters for its position in a translation, then the English text, with a bar
// between singular and plural. This compresses better than numbers and objects.

export type PackedMessage = string | { readonly one: string; readonly other: string };

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

export function pack(place: number, message: PackedMessage): string {
  const parts = typeof message === "string" ? [message] : [message.one, message.other];
  const [first, second] = [LETTERS[Math.floor(place / LETTERS.length)], LETTERS[place % LETTERS.length]];
  if (!first || !second) throw new Error(`there are more texts than ${LETTERS.length ** 2}`);
  if (parts.some((part) => part.includes("|"))) throw new Error(`a text contains a bar: ${parts.join(" ")}`);
  return first + second + parts.join("|");
}

export function unpack(text: string): { readonly place: number; readonly message: PackedMessage } {
  const [one = "", other] = text.slice(2).split("|");
  return {
    place: LETTERS.indexOf(text.charAt(0)) * LETTERS.length + LETTERS.indexOf(text.charAt(1)),
    message: other === undefined ? one : { one, other },
  };
}
