/**
 * Makes text of a definition safe for terminals and logs. Replaces characters that would move the cursor, change colours, break a
 * line or reverse the reading direction with visible ones.
 */
export function visible(text: string): string {
  return text.replace(hidden, standIn);
}

/** Control characters, line separators, reading directions, invisible format characters, and halves of characters. */
const hidden =
  /[\p{Cc}\p{Cs}\u2028\u2029\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\u061C\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu;

function standIn(character: string): string {
  const code = character.codePointAt(0)!;
  // Unicode has a picture of each ASCII control character: ␛ for escape, ␊ for a line feed.
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '␡';
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

/** The columns that a visible text takes in a terminal. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text)
    columns += noColumn.test(character) ? 0 : twoColumns.test(character) ? 2 : 1;
  return columns;
}

/** Combining marks and joiners. */
const noColumn = /^(?:\p{M}|\u200C|\u200D)$/u;

/** East Asian characters and emoji. */
const twoColumns =
  /^[\p{Emoji_Presentation}\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]$/u;
