import type { Json } from '../json.ts';

const columns = 100;

/**
 * Prints JSON for people: two spaces a level, keys in the given order, and everything that fits on one line on one line, so
 * that a diff shows only what changed. Equal values give equal texts.
 */
export function jsonText(value: Json): string {
  return `${printed(value, '', 0)}\n`;
}

/** A value that starts in column `used` of a line indented by `indent`. */
function printed(value: Json, indent: string, used: number): string {
  const short = onOneLine(value, columns - used - ','.length);
  if (short !== undefined) return short;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const lines = entriesOf(value).map(
    ([lead, item]) => inner + lead + printed(item, inner, inner.length + lead.length),
  );
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}

/** Prints a value on one line; undefined when it does not fit. Stops early, so long values cost nothing. */
function onOneLine(value: Json, room: number): string | undefined {
  if (typeof value === 'string' && value.length > room) return undefined;
  if (typeof value !== 'object' || value === null) return fitting(room, JSON.stringify(value));
  const entries = entriesOf(value);
  if (entries.length === 0) return Array.isArray(value) ? '[]' : '{}';
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{ ', ' }'];
  let text = open;
  for (const [index, [lead, item]] of entries.entries()) {
    text += index === 0 ? lead : `, ${lead}`;
    const rest = onOneLine(item, room - text.length);
    if (rest === undefined) return undefined;
    text += rest;
  }
  return fitting(room, text + close);
}

function fitting(room: number, text: string): string | undefined {
  return text.length <= room ? text : undefined;
}

/** The entries of a list or an object, each with the text before it. */
function entriesOf(value: object): [lead: string, item: Json][] {
  if (Array.isArray(value)) return value.map((item: Json) => ['', item]);
  return Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .map(([key, item]) => [`${JSON.stringify(key)}: `, item as Json]);
}
