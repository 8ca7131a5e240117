import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { check, detect } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { asl } from '../src/index.ts';

/** Workflows that people have published; they are run to their ends in oracle/. */
const root = new URL('../../../../../shared/corpus/asl/', import.meta.url);

/** What is wrong with those that are refused, and where the review of the language says so. */
const refused: Readonly<Record<string, readonly [code: string, reason: string]>> = {
  'spec01-customer-support.asl.json': [
    'asl/unknown-target',
    'F 29: dangling targets in the introduction',
  ],
  'spec01-declarative-analyze-decide.asl.json': [
    'asl/unknown-target',
    'F 29: dangling targets in the introduction',
  ],
  'spec07-cost-optimized-research.asl.json': [
    'asl/unknown-function',
    'F 29: States.EstimateCost is used and never defined',
  ],
};

const isThere = existsSync(root);

test.skipIf(!isThere)(
  'the workflows in ../shared are here; without them nothing is compared',
  () => {
    expect(isThere).toBe(true);
  },
);

const files = isThere ? readdirSync(root).filter((file) => file.endsWith('.asl.json')) : [];

test.each(files)('%s is a workflow, and compiles unless it is known to be wrong', (file) => {
  const text = readFileSync(new URL(file, root), 'utf8');
  expect(detect(JSON.parse(text), [asl], {})).toMatchObject({ format: { name: 'asl' } });
  const { diagnostics } = check(text, { formats: [asl] });
  const codes = diagnostics.flatMap(({ severity, code }) => (severity === 'error' ? [code] : []));
  const [expected] = refused[file] ?? [];
  expect([...new Set(codes)].filter((code) => code === expected)).toEqual(
    expected === undefined ? [] : [expected],
  );
  expect(expected === undefined ? codes : []).toEqual([]);
});
