import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import { hasErrors } from '@dramaturg/compiler';
import { compile } from 'dramaturg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampled, scaled } from '../../../../.config/scaled.ts';
import { type Exploration, explore } from '../../src/exploring/explore.ts';
import { writeTests } from '../../src/exploring/write-tests.ts';
import { dramaturg } from '../command.ts';

/**
 * Definitions of others from a folder next to the project: every n-th of each format is explored, and the tests that this generates are run by
 * `dramaturg test`. Without the folder there is nothing to explore.
 */
const corpora = join(import.meta.dirname, '../../../../../shared/corpus');

/** Moves, not time, end a search: the result is the same on every machine. */
const bounds = { steps: scaled(400), seconds: 3_600 };
const definitionsMax = 2;

const sample = ['plan', 'npc', 'context-graph', 'lifecycle', 'asl', 'asl-real/definitions'].flatMap(
  (folder) => {
    const files = globSync(join(corpora, folder, '*.{json,yaml,yml}')).toSorted();
    const valid = sampled(files).filter((file) => compiledFrom(file) !== undefined);
    const step = Math.max(1, Math.floor(valid.length / definitionsMax));
    return valid.filter((_, index) => index % step === 0).slice(0, definitionsMax);
  },
);

/** A definition without errors that is complete in its file. */
function compiledFrom(file: string) {
  const text = readFileSync(file, 'utf8');
  const compiled = compile(text, { fileName: basename(file) });
  const isComplete = !text.includes('"Template"');
  return compiled.machine && !hasErrors(compiled.diagnostics) && isComplete ? compiled : undefined;
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dramaturg-corpora-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe.skipIf(!existsSync(corpora))('definitions of others', () => {
  test.each(sample.map((file, index) => [basename(file), file, index] as const))(
    '%s is explored without a failure, and says where the search has ended',
    async (_name, file, index) => {
      const exploration = await explore(compiledFrom(file)!, { bounds });
      expect(exploration.failures).toEqual(new Map());
      expect(faultsOfBound(exploration)).toEqual([]);
      const name = `${index}${extname(file)}`;
      await writeFile(join(folder, name), readFileSync(file));
      const text = writeTests({ definition: name, comments: [] }, exploration.tests);
      if (exploration.tests.length > 0) await writeFile(join(folder, `${index}.test.yaml`), text);
    },
  );

  test('all generated tests pass', async () => {
    const { code, stdout, stderr } = await dramaturg(['test', '.'], { cwd: folder });
    expect(code, `${stdout}\n${stderr}`).toBe(0);
  });
});

/** What is wrong with the words about the bound of a search. */
function faultsOfBound({ endedAt, steps, unreached }: Exploration): readonly string[] {
  const isBounded = unreached.some(({ reason }) => reason.includes('ended at its bound'));
  return [
    ...(steps > bounds.steps ? ['more moves than the bound'] : []),
    ...(endedAt === 'seconds' ? ['ended by time'] : []),
    ...(endedAt === 'steps' && steps < bounds.steps ? ['ended too early'] : []),
    ...(endedAt === undefined && isBounded ? ['a bound without an end'] : []),
  ];
}
