import { setImmediate } from 'node:timers/promises';
import type { ServedOperations } from '../operations.ts';
import type { HostStatus } from '../wire/wire.ts';

/** The status of a host. "Active" means not ended. Spec: section 9 of the lifecycle. */
export async function statusOfHost(host: ServedOperations): Promise<HostStatus> {
  let total = 0;
  let active = 0;
  for (let after: string | undefined; ;) {
    const page = await host.list({}, { limit: 1_000, ...(after === undefined ? {} : { after }) });
    total += page.items.length;
    active += page.items.filter(({ ended }) => !ended).length;
    if (page.next === undefined) break;
    after = page.next;
    // A host with many instances answers other commands in between.
    await setImmediate();
  }
  const definitions = await host.definitions();
  return {
    pid: process.pid,
    uptime_seconds: Math.floor(process.uptime()),
    connections: [...host.channels],
    definitions: definitions.map(({ name }) => name),
    active_instance_count: active,
    total_instance_count: total,
  };
}
