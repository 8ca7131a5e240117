import type { InstanceReader, InstanceSummary } from '@dramaturg/host';
import { readPages, unlessErased } from '@dramaturg/host/engine';

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
