/**
 * Prints how large the source is: files, lines without blanks and comments, tokens, and exports, by folder. Tests do not count.
 *
 *     npm run size              a table
 *     npm run size -- --json    the same as JSON
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';

const root = join(import.meta.dirname, '..');
const token = /[\p{L}\p{N}_$]+|[^\s\p{L}\p{N}_$]/gu;

const sizes: Record<string, Record<'files' | 'lines' | 'tokens' | 'exports', number>> = {};
const files = globSync('{packages,apps,.config}/**/*.{ts,tsx,css}', {
  cwd: root,
  exclude: (path) => /(^|[\\/])(node_modules|dist|test|fixtures|\.turbo)$/.test(path),
});
for (const path of files.map((file) => file.replaceAll('\\', '/'))) {
  const folder = /^(packages\/(?:formats|channels)\/[^/]+|(?:packages|apps)\/[^/]+|\.config)/.exec(
    path,
  )![0];
  const text = readFileSync(join(root, path), 'utf8');
  const code = path.endsWith('.css') ? text.replaceAll(/\/\*.*?\*\//gs, '') : codeOf(path, text);
  for (const name of ['all', folder]) {
    const size = (sizes[name] ??= { files: 0, lines: 0, tokens: 0, exports: 0 });
    size.files += 1;
    size.lines += code.split('\n').filter((line) => line.trim() !== '').length;
    size.tokens += code.match(token)?.length ?? 0;
    size.exports += code.match(/^export /gm)?.length ?? 0;
  }
}
if (process.argv.includes('--json')) console.log(JSON.stringify(sizes, null, 2));
else console.table(sizes);

function codeOf(path: string, text: string): string {
  let code = text;
  for (const { start, end } of parseSync(path, text).comments.toReversed())
    code = code.slice(0, start) + code.slice(end);
  return code.replaceAll(/^\s*\{\s*\}\s*$/gm, '');
}
