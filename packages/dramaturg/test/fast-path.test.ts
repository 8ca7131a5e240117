import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { hasErrors } from '@dramaturg/compiler';
import { Chance } from '@dramaturg/testing';
import { compile } from 'dramaturg';
import { expect, test, vi } from 'vitest';
import { runsAll, sampled } from '../../../.config/scaled.ts';
import { formatNamed } from '../src/known-formats.ts';
import { Observed } from './fast-path/observed.ts';
import { randomEnding, randomEvent } from './fast-path/random-happenings.ts';

/**
 * Each definition runs twice, with the fast path of linked machines and without it, through the same events and answers. All that can
 * be observed after each of them is the same.
 */
const root = join(import.meta.dirname, '../../..');
const corpora = join(root, '../shared/corpus');

const own = ['docs/examples/*', 'packages/formats/*/test/fixtures/*/*'].map((folder) =>
  join(root, folder),
);
const others = ['plan', 'npc', 'context-graph', 'lifecycle', 'asl', 'asl-real/definitions'].map(
  (folder) => join(corpora, folder, '*'),
);

const filesIn = (folders: readonly string[]) =>
  globSync(folders.map((files) => `${files}.{json,yaml,yml}`)).toSorted();

const definitions = [...sampled(filesIn(others)), ...filesIn(own)].flatMap((file) => {
  const { chart, format, diagnostics } = compile(readFileSync(file, 'utf8'), {
    fileName: basename(file),
  });
  return chart && !hasErrors(diagnostics) ? [{ name: relative(root, file), chart, format }] : [];
});

test.skipIf(!existsSync(corpora))(
  'the definitions in ../shared are here; without them those of the project are compared',
  () => {
    expect(definitions.some(({ name }) => name.startsWith('..'))).toBe(true);
  },
);

/** Each format refuses an input that it does not know. */
const inputs: Readonly<Record<string, object>> = {
  asl: { input: { topic: 'tea', amount: 7, items: [1, 2, 3] } },
  plan: { session: {} },
  'context-graph': { opening: 'person' },
};

/** Of XState, in all definitions of a format. */
const microsteps = new Map<string, { fast: number; slow: number }>();

test.each(definitions)(
  '$name is the same with and without a fast path',
  async ({ name, chart, format }) => {
    // XState says when an answer comes too late for a machine that has come to its end.
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const { behaviour } = formatNamed(format)!;
    const counts = microsteps.get(format!) ?? { fast: 0, slow: 0 };
    microsteps.set(format!, counts);
    for (const seed of runsAll ? [1, 2] : [1]) {
      const chance = new Chance(seed);
      const input = inputs[format!] ?? {};
      const fast = new Observed(chart, behaviour, { fuse: true, input });
      const slow = new Observed(chart, behaviour, { fuse: false, input });
      const compare = async (what: unknown) => {
        await setImmediate();
        expect([name, seed, what, fast.look()]).toEqual([name, seed, what, slow.look()]);
      };
      await compare('start');
      for (let number = 1; number <= 30 && slow.isActive; number += 1) {
        const { openCalls } = slow;
        if (number % 11 === 0) {
          fast.restore();
          slow.restore();
          await compare('restored');
        } else if (openCalls.length > 0 && chance.next() < 0.7) {
          const index = chance.between(0, openCalls.length - 1);
          const ending = randomEnding(chance, openCalls[index]!);
          fast.answer(index, ending);
          slow.answer(index, ending);
          await compare(ending);
        } else {
          const event = randomEvent(chance, slow.events, number);
          fast.send(event);
          slow.send(event);
          await compare(event);
        }
      }
      counts.fast += fast.microsteps;
      counts.slow += slow.microsteps;
    }
  },
);

test('most steps of definitions without regions are fast', () => {
  const isFast = Array.from(microsteps, ([format, { fast, slow }]) => [format, fast < slow / 2]);
  expect(Object.fromEntries(isFast)).toMatchObject({
    asl: true,
    lifecycle: true,
  });
});
