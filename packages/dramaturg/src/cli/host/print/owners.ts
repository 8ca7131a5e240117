import type { InstanceSummary, Owner } from '@dramaturg/host';
import type { ReadingGateway } from '../gateway/gateway.ts';
import { unlessUnreadable } from './retries.ts';

/** The people who have taken over listed instances. Only a paused instance can be taken over. */
export async function ownersOf(
  gateway: Pick<ReadingGateway, 'get'>,
  items: readonly InstanceSummary[],
): Promise<ReadonlyMap<string, Owner>> {
  const paused = items.filter(({ queue }) => queue === 'paused');
  const found = paused.map(async ({ id }) => {
    const view = await unlessUnreadable(gateway.get(id));
    return view?.owner ? [[id, view.owner] as const] : [];
  });
  return new Map((await Promise.all(found)).flat());
}
