/**
 * Reports constructions that make readers stop, in comments, messages and pages: `npm run check:prose`.
 * With folders or files as arguments it reads only those.
 */
import { globSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { type Passage, passagesOfCode, passagesOfPage } from './prose/passages.ts';
import { proseRules } from './prose/rules.ts';

const root = join(import.meta.dirname, '..');
const given = process.argv.slice(2).map((path) => resolve(path));
const problems: string[] = [];

for (const { pattern, reports, allows } of proseRules) {
  for (const text of reports) if (!pattern.test(text)) problems.push(`${pattern} misses: ${text}`);
  for (const text of allows) if (pattern.test(text)) problems.push(`${pattern} reports: ${text}`);
}

const files = globSync(
  ['{packages,apps,.config}/**/*.{ts,tsx}', 'docs/**/*.md', '{packages,apps}/**/README.md', '*.md'],
  {
    cwd: root,
    exclude: (name) =>
      /node_modules|(^|\/)dist($|\/)|fixtures|^CHANGELOG\.md$|prose\/rules\.ts$/.test(name),
  },
).filter((file) => given.length === 0 || given.some((path) => isInside(join(root, file), path)));

for (const file of files.toSorted()) {
  if (!statSync(join(root, file)).isFile()) continue;
  const source = readFileSync(join(root, file), 'utf8');
  for (const passage of passagesOf(file, source)) report(file, source, passage);
}

if (problems.length > 0) {
  console.error(problems.join('\n'));
  console.error(
    `\nprose: ${problems.length} in ${files.length} files. CONTRIBUTING.md says how we write.`,
  );
  process.exitCode = 1;
} else {
  console.log(`prose: ${files.length} files read plainly.`);
}

function passagesOf(file: string, source: string): Passage[] {
  if (file.endsWith('.md')) return passagesOfPage(source);
  // Strings in tests are data, as authors and people write it.
  return passagesOfCode(file, source, /\/(src|page)\//.test(file));
}

function report(file: string, source: string, { text, offset }: Passage): void {
  // Line breaks become spaces, so that a pattern matches across lines.
  const line = text.replace(/\n/g, ' ');
  // Several spaces, such as an indentation, count as one.
  const places: number[] = [];
  let flat = '';
  for (let index = 0; index < line.length; index += 1) {
    if (line[index] === ' ' && flat.endsWith(' ')) continue;
    places.push(index);
    flat += line[index];
  }
  for (const { pattern, hint } of proseRules) {
    for (const match of flat.matchAll(new RegExp(pattern.source, `${pattern.flags}g`))) {
      const lineNumber = source.slice(0, offset + places[match.index]!).split('\n').length;
      problems.push(`${file}:${lineNumber} "${match[0].trim().slice(0, 80)}" ${hint}`);
    }
  }
}

function isInside(file: string, path: string): boolean {
  return !relative(path, file).startsWith('..');
}
