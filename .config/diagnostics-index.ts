/**
 * Writes the index of docs/diagnostics/README.md from the pages next to it: one line per code with its severity and the
 * first sentence of its page. With `--check` it writes nothing and fails when the index is out of date.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '..', 'docs', 'diagnostics');
const readme = join(folder, 'README.md');
const begin = '<!-- index: node .config/diagnostics-index.ts -->';
const end = '<!-- end of index -->';

/** Groups in the order in which a definition is processed: its text, format, parts, meaning. */
const groups = ['read', 'format', 'shape', 'chart'];

const text = readFileSync(readme, 'utf8');
const [before, rest] = split(text, begin);
const [, after] = split(rest, end);
const current = `${before}${begin}\n\n${index()}\n${end}${after}`;

if (text === current) {
  console.log('docs/diagnostics/README.md is current.');
} else if (process.argv.includes('--check')) {
  console.error(
    'docs/diagnostics/README.md is out of date: run `node .config/diagnostics-index.ts`.',
  );
  process.exitCode = 1;
} else {
  writeFileSync(readme, current);
  console.log('Wrote the index of docs/diagnostics/README.md.');
}

function index(): string {
  const pages = globSync('*/*.md', { cwd: folder })
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted();
  const found = new Set(pages.map((path) => path.slice(0, path.indexOf('/'))));
  const names = new Set([...groups.filter((group) => found.has(group)), ...found]);
  return [...names]
    .map((name) => `## ${name}\n\n${table(pages.filter((path) => path.startsWith(`${name}/`)))}\n`)
    .join('\n');
}

/** Columns are padded as the formatter pads them. */
function table(paths: readonly string[]): string {
  const rows = [['code', 'severity', 'meaning'], ...paths.map(row)];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((cells) => cells[column]!.length)));
  const lines = rows.map(
    (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`,
  );
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}

function row(path: string): string[] {
  const page = readFileSync(join(folder, path), 'utf8');
  const found = /^# (\S+)\n\n`(\w+)`\n\n(.+?\.)(?=\s)/s.exec(page);
  if (!found)
    throw new Error(
      `docs/diagnostics/${path} does not begin with its code, its severity and a sentence.`,
    );
  const [, code, severity, sentence] = found;
  return [`[${code}](${path})`, severity!, sentence!.replaceAll('\n', ' ')];
}

function split(whole: string, mark: string): [string, string] {
  const at = whole.indexOf(mark);
  if (at < 0) throw new Error(`docs/diagnostics/README.md has no line "${mark}".`);
  return [whole.slice(0, at), whole.slice(at + mark.length)];
}
