import { HostError, type InstanceSummary, type InstanceView } from '@dramaturg/host';
import { RequestError } from '../failure.ts';
import type { ServedReader } from './operation.ts';

/** How many instances are listed with their details at once. */
const detailsMax = 100;

/** Everything about the instances of a list. */
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
  const found = items.map(async ({ id }) => {
    try {
      return [await host.get(id)];
    } catch (error) {
      // It was erased since it was listed.
      if (error instanceof HostError && error.code === 'host/unknown-instance') return [];
      throw error;
    }
  });
  return (await Promise.all(found)).flat();
}
