import type { InstanceReader, InstanceSummary, InstanceView } from '@dramaturg/host';
import { readPages, unlessErased } from '@dramaturg/host/engine';
import type { z } from 'zod';
import { RequestError } from '../failure.ts';
import type { wire } from '../wire/wire.ts';
import type { ServedHost, ServedReader } from './operation.ts';

/** Maximum number of instances that are listed with details. */
const detailsMax = 100;

/** Adds all details to the instances of a list. */
export async function inDetail(
  { host }: ServedReader,
  items: readonly InstanceSummary[],
  limit: number,
): Promise<readonly InstanceView[]> {
  if (limit > detailsMax)
    throw new RequestError('request/invalid', `With details, at most ${detailsMax} are listed.`, {
      hint: `Ask for pages: limit=${detailsMax}, and then after= with "next".`,
      errors: [{ path: '/limit', detail: `At most ${detailsMax}` }],
    });
  const found = items.map(async ({ id }) => (await unlessErased(host.get(id))) ?? []);
  return (await Promise.all(found)).flat();
}

/** Maximum number of candidates for an ambiguous prefix. */
const mostFound = 6;

/** Finds the instance with this id, or some instances whose ids begin with it. */
export async function findByPrefix(
  reader: Pick<InstanceReader, 'get' | 'list'>,
  prefix: string,
): Promise<readonly InstanceSummary[]> {
  const exact = await unlessErased(reader.get(prefix));
  if (exact) return [exact];
  const found: InstanceSummary[] = [];
  for await (const page of readPages((request) => reader.list({}, request))) {
    found.push(...page.filter(({ id }) => id.startsWith(prefix)));
    if (found.length >= mostFound) break;
  }
  return found.slice(0, mostFound);
}

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
