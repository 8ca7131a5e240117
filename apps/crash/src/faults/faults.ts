import { setTimeout as pause } from 'node:timers/promises';
import type { Scene, Trouble } from '../trouble.ts';
import { FaultLibrary } from './fault-library.ts';

/** One call in so many fails. Rare faults let a host come far, frequent ones hit it while it recovers from another. */
const rates = [4, 8, 16, 40, 150];

/** Milliseconds in which a host opens its store, unless its calls fail all the time. */
const readyMs = 10_000;
/** Milliseconds between two looks for a fault. */
const pollMs = 50;

/**
 * Makes system calls of hosts on the files of their store fail. Some faults come while a host opens its store, the others
 * while it works. Afterwards it works without faults for a while, or is killed at once.
 */
export const faults: Trouble = async (scene, times) => {
  const library = new FaultLibrary();
  try {
    for (let done = 0; done < times;) {
      const before = done;
      await runHost(scene, library);
      done = total(library.counts);
      scene.onProgress(done - before);
    }
    return { kinds: library.counts };
  } finally {
    library.remove();
  }
};

async function runHost(
  { folder, chance, start, end }: Scene,
  library: FaultLibrary,
): Promise<void> {
  library.enable(chance.next() < 0.3);
  const seed = chance.between(1, 2 ** 31);
  const before = total(library.counts);
  const victim = start({}, library.environment(folder, seed, chance.of(rates)));
  const state = { hasEnded: false };
  void victim.ended.then(() => (state.hasEnded = true));
  await Promise.race([victim.ready, pause(readyMs)]);
  library.enable(true);
  await Promise.race([victim.ended, pause(chance.between(100, 1_500))]);
  // On a busy machine, the host has not called anything yet.
  while (!state.hasEnded && total(library.counts) === before)
    await Promise.race([victim.ended, pause(pollMs)]);
  library.enable(false);
  if (chance.next() < 0.5) await Promise.race([victim.ended, pause(chance.between(0, 300))]);
  victim.kill();
  await end(victim);
}

function total(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
