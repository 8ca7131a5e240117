import { setTimeout as pause } from 'node:timers/promises';
import type { Victim } from './victim.ts';

let probes = 0;

/** Whether the host stores a new instance within a second. */
export async function stores(victim: Victim): Promise<boolean> {
  return (await whyItStoresNothing(victim)) === undefined;
}

/** Why the host does not store a new instance within a second; undefined when it does. */
export async function whyItStoresNothing(victim: Victim): Promise<string | undefined> {
  if (victim.hasEnded) return 'it has ended';
  probes += 1;
  const options = { id: `probe-${probes}`, input: { wait: 1 } };
  const written = victim.ask({ do: 'start', definition: 'job', options }).then(
    () => undefined,
    (error: unknown) => (error as Error).message,
  );
  return Promise.race([written, pause(1_000, 'it does not answer for a second')]);
}
