import { HostError, type InstanceReader, type InstanceSummary } from '@dramaturg/host';

/** Maximum number of candidates for an ambiguous prefix. */
const mostFound = 6;

/** Finds the instance with this id, or some instances whose ids begin with it. */
export async function findByPrefix(
  reader: Pick<InstanceReader, 'get' | 'list'>,
  prefix: string,
): Promise<readonly InstanceSummary[]> {
  const exact = await instanceOf(reader, prefix);
  if (exact) return [exact];
  const found: InstanceSummary[] = [];
  for (let after: string | undefined; ;) {
    const page = await reader.list({}, { limit: 1_000, ...(after === undefined ? {} : { after }) });
    found.push(...page.items.filter(({ id }) => id.startsWith(prefix)));
    if (found.length >= mostFound || page.next === undefined) return found.slice(0, mostFound);
    after = page.next;
  }
}

async function instanceOf(
  reader: Pick<InstanceReader, 'get'>,
  id: string,
): Promise<InstanceSummary | undefined> {
  try {
    return await reader.get(id);
  } catch (error) {
    if (error instanceof HostError && error.code === 'host/unknown-instance') return undefined;
    throw error;
  }
}
