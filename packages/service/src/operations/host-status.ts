import { readPages } from '@dramaturg/host/engine';
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
  for await (const page of readPages((request) => host.list({}, request))) {
    total += page.length;
    active += page.filter(({ ended }) => !ended).length;
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
