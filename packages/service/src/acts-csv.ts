import type { Act } from '@dramaturg/host';
import { readPages } from '@dramaturg/host/engine';
import type { ReadOperations } from './operations.ts';

const columns = ['at', 'by', 'act', 'instance', 'contact', 'decision', 'option', 'text'] as const;

export const csvHeaders = {
  'content-type': 'text/csv; charset=utf-8; header=present',
  'content-disposition': 'attachment; filename="acts.csv"',
};

/** Streams all acts as CSV (RFC 4180), in parts of many lines each. Times are in ISO 8601. */
export async function* actsCsv(
  host: Pick<ReadOperations, 'acts'>,
  filter: Omit<Parameters<ReadOperations['acts']>[0], 'after' | 'limit' | 'format'>,
): AsyncGenerator<string> {
  yield `${columns.join(',')}\r\n`;
  const pages = readPages((page) => host.acts({ ...filter, format: 'json', ...page }));
  for await (const acts of pages) if (acts.length > 0) yield acts.map(lineOf).join('');
}

function lineOf({ at, ...act }: Act): string {
  const fields = { ...act, at: new Date(at).toISOString() };
  return `${columns.map((name) => cellOf(fields[name] ?? '')).join(',')}\r\n`;
}

/**
 * A cell that spreadsheets show as text: they run a value that begins with `=`, `+`, `-`, `@`, a tab or a line break as a
 * formula, also after blanks. An apostrophe prevents it, also in telephone numbers, which begin with `+`.
 */
function cellOf(text: string): string {
  const harmless = /^\s*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) || harmless !== harmless.trim()
    ? `"${harmless.replaceAll('"', '""')}"`
    : harmless;
}
