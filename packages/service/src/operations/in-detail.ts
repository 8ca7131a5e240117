import type { InstanceSummary, InstanceView } from '@dramaturg/host';
import { unlessErased } from '@dramaturg/host/engine';
import { RequestError } from '../failure.ts';
import type { ServedReader } from './operation.ts';

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
