import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const docs = join(import.meta.dirname, '../../../docs');
const rows = readFileSync(join(docs, 'glossary.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('|') && !/^\| (term|-)/.test(line))
  .map((line) => {
    const [term, meaning, link] = line.split('|').slice(1, -1) as [string, string, string];
    const [, name, path] = /\[`(.+)`\]\((.+)\)/.exec(link) ?? [];
    return { term: term.trim(), meaning: meaning.trim(), name: name ?? '', path: path ?? '' };
  });

describe('the glossary', () => {
  test('explains each term once', () => {
    const terms = rows.map(({ term }) => term);
    expect(terms.length).toBeGreaterThan(30);
    expect(terms).toEqual([...new Set(terms)]);
  });

  test.each(rows)('explains $term in one sentence', ({ meaning }) => {
    expect(meaning).toMatch(/^[A-Z].*[^.]\.$/);
    expect(meaning).not.toMatch(/\. [A-Z]/);
  });

  test.each(rows)('links $term to the type that carries it', ({ name, path }) => {
    const file = join(docs, path);
    expect(existsSync(file)).toBe(true);
    if (path.endsWith('.md')) return;
    const declaration = `export (?:declare )?(?:abstract )?(?:async )?(?:interface|type|class|const|function) ${name}\\b`;
    expect(readFileSync(file, 'utf8')).toMatch(new RegExp(declaration));
  });
});
