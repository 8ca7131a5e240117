import { setTimeout as pause } from 'node:timers/promises';
import type { Victim } from './victim.ts';

let probes = 0;

/** Whether the host stores a new instance within a second. */
export async function stores(victim: Victim): Promise<boolean> {
  if (victim.hasEnded) return false;
  probes += 1;
  const options = { id: `probe-${probes}`, input: { wait: 1 } };
  const written = victim.ask({ do: 'start', definition: 'job', options }).then(
    () => true,
    () => false,
  );
  return Promise.race([written, pause(1_000, false)]);
}
