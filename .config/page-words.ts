/**
 * Counts the words that a user reads, examples included, and fails above the ceiling. Reference pages for looking things
 * up (the command, the benchmarks, the diagnostics) do not count. `node .config/page-words.ts --pages` lists the pages.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Lower it when pages get shorter; the recipe for a format adds a page of 50 words. */
const ceiling = 70_000;

const root = join(import.meta.dirname, '..');
const pages = globSync(['README.md', 'docs/**/*.md'], { cwd: root })
  .filter((page) => !/^docs\/(cli\.md|benchmarks\.md|diagnostics\/)/.test(page))
  .map((page) => ({ page, words: wordsIn(readFileSync(join(root, page), 'utf8')) }))
  .toSorted((one, other) => other.words - one.words);
const total = pages.reduce((sum, { words }) => sum + words, 0);

if (process.argv.includes('--pages'))
  for (const { page, words } of pages) console.log(`${String(words).padStart(6)} ${page}`);
console.log(`words: ${total} in ${pages.length} pages, at most ${ceiling}.`);
if (total > ceiling) {
  console.error('The pages got longer. Say it once, in the page where it is looked for.');
  process.exitCode = 1;
}

function wordsIn(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\d]/u.test(word)).length;
}
