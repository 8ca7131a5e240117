import { setImmediate } from 'node:timers/promises';
import type { z } from 'zod';
import type { wire } from '../wire/wire.ts';
import type { ServedHost } from './operation.ts';

/** The status of a host. "Active" means not ended. Spec: section 9 of the lifecycle. */
export async function statusOfHost({
  host,
  channels,
}: ServedHost): Promise<z.output<typeof wire.status>> {
  let total = 0;
  let active = 0;
  for (let after: string | undefined; ;) {
    const page = await host.list({}, { limit: 1_000, ...(after === undefined ? {} : { after }) });
    total += page.items.length;
    active += page.items.filter(({ ended }) => !ended).length;
    if (page.next === undefined) break;
    after = page.next;
    // With many instances, other commands are answered in between.
    await setImmediate();
  }
  return {
    pid: process.pid,
    uptime_seconds: Math.floor(process.uptime()),
    connections: [...channels],
    definitions: [...host.definitions],
    active_instance_count: active,
    total_instance_count: total,
  };
}
