import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Prepare } from '../measure.ts';
import { Stage } from './stage.ts';
import { onStores, storeAt, type StoreSettings } from './stores.ts';

const turnsOfLong = 1_500;
const turnsOfSample = 200;

/**
 * Compares the longest time that the event loop is blocked while conversations continue and a long one is forked, with that of
 * the same conversations alone.
 */
export const prepare: Prepare<StoreSettings> = async (settings) => {
  const stage = await Stage.open(storeAt(settings, 'never'));
  const { host } = stage;
  await stage.begin('long');
  for (let turn = 1; turn <= turnsOfLong; turn += 1) await stage.turn('long', turn);
  await stage.begin('ada');
  let turn = 0;
  const next = () => stage.turn('ada', (turn += 1));
  for (let count = 0; count < turnsOfSample; count += 1) await next();
  let forks = 0;
  return {
    sample: async () => {
      const alone = await longestHold(async () => {
        for (let count = 0; count < turnsOfSample; count += 1) await next();
      });
      const beside = await longestHold(async () => {
        const forking = new AbortController();
        const id = `fork-${(forks += 1)}`;
        const fork = host.fork('long', { step: 2 * turnsOfLong, id }).finally(() => {
          forking.abort();
        });
        while (!forking.signal.aborted) await next();
        await fork;
      });
      return { overAlone: beside / alone, beside, alone };
    },
  };
};

/** The longest time that the event loop is blocked while work runs, in milliseconds. */
async function longestHold(work: () => Promise<void>): Promise<number> {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  // The first interval must begin before the work.
  await new Promise((resolve) => setTimeout(resolve, 10));
  delays.reset();
  await work();
  await new Promise((resolve) => setTimeout(resolve, 10));
  delays.disable();
  return delays.max / 1e6;
}

/** Other conversations must not notice that a long one is forked. */
export const forkHold = onStores(
  import.meta.filename,
  (kind) => {
    const hold = `longest hold of the event loop while forking 3,000 steps on ${kind}`;
    return {
      overAlone: [`${hold} over the same without`, '×', 2],
      beside: [hold, 'ms'],
      alone: [`longest hold of the event loop by turns on ${kind}`, 'ms'],
    };
  },
  { rounds: 7 },
);
