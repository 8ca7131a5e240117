import type { InstanceSummary } from '@dramaturg/host';
import type { ChannelHost } from '@dramaturg/host/channel';

/** The conversations of a contact, the oldest first. @param filter `ended: false` for those that have not ended */
export async function conversationsOf(
  host: Pick<ChannelHost, 'list'>,
  contact: string,
  filter: { readonly ended?: boolean } = {},
): Promise<readonly InstanceSummary[]> {
  const found: InstanceSummary[] = [];
  for (let after: string | undefined; ;) {
    const request = { limit: 1_000, ...(after !== undefined && { after }) };
    const { items, next } = await host.list({ contact, ...filter }, request);
    found.push(...items);
    if (next === undefined) return found;
    after = next;
  }
}
