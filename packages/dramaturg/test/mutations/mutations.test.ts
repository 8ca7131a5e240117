import { setImmediate } from 'node:timers/promises';
import { check, compile, providePorts } from '@dramaturg/compiler';
import { understudyPorts } from '@dramaturg/understudy';
import { createActor } from 'xstate';
import { expect, test } from 'vitest';
import { formats } from '../../src/known-formats.ts';
import { faultsIn } from './faults.ts';
import { basesOf, type Mutant, mutantOf } from './mutants.ts';
import { scaled } from '../../../../.config/scaled.ts';

/**
 * Random changes of definitions: the compiler does not throw, each finding has a position and is written for authors, and
 * definitions without errors run. `DRAMATURG_MUTANTS=100000 npm test -- packages/dramaturg/test/mutations` makes that many
 * of each format, and `DRAMATURG_MUTANTS_FROM=…` sets the first seed. A fault starts with the seed of its mutant.
 */
const count = Number(process.env['DRAMATURG_MUTANTS'] ?? scaled(500));
const from = Number(process.env['DRAMATURG_MUTANTS_FROM'] ?? 0);
/** One in this many mutants is compiled, and run if it has no errors. */
const runsEvery = 5;
const hour = 3_600_000;

test.each(formats.map(({ name }) => name))(
  '%s: a mutant is judged in an author’s words, and runs if it has no error',
  async (format) => {
    const bases = basesOf(format);
    const faults: string[] = [];
    let sound = 0;
    for (let seed = from; seed < from + count && faults.length < 20; seed += 1) {
      const mutant = mutantOf(bases, seed);
      try {
        const options = optionsOf(mutant, format);
        const checked = check(mutant.text, options);
        if (checked.chart) sound += 1;
        faults.push(...faultsIn(checked).map((fault) => `${mutant.history}: ${fault}`));
        if (checked.chart && seed % runsEvery === 0) await run(mutant, format);
      } catch (error) {
        faults.push(`${mutant.history}: ${String(error instanceof Error ? error.stack : error)}`);
      }
      if (seed % 100 === 0) await setImmediate();
    }
    expect(faults).toEqual([]);
    expect(sound).toBeGreaterThan(count / 50);
  },
  hour,
);

function optionsOf({ fileName, options }: Mutant, format: string) {
  return { formats, format, fileName, options };
}

/** Starts an actor, sends it a message and stops it. */
async function run(mutant: Mutant, format: string): Promise<void> {
  const { machine } = compile(mutant.text, optionsOf(mutant, format));
  const errors: unknown[] = [];
  const actor = createActor(providePorts(machine!, understudyPorts()), { input: {} });
  actor.subscribe({ error: (error) => errors.push(error) });
  actor.start();
  await setImmediate();
  actor.send({ type: 'message.received', text: 'Hello, I am Maria.' });
  await setImmediate();
  actor.stop();
  const [error] = errors;
  if (error instanceof TypeError || error instanceof RangeError) throw error;
}
