import type { ChartNode } from '@dramaturg/compiler/chart';
import type { InstanceView } from '@dramaturg/host';
import type { ChannelHost } from '@dramaturg/host/channel';
import type { ChatStatus } from '../protocol.ts';
import { conversationsOf } from './conversations-of.ts';

/** What the conversation of a contact does. */
export async function readStatus(host: ChannelHost, contact: string): Promise<ChatStatus> {
  const open = await conversationsOf(host, contact, { ended: false });
  const views = await Promise.all(open.map(({ id }) => host.get(id)));
  const view = views.find(({ holdsContact }) => holdsContact) ?? views.at(-1);
  if (view) return statusOf(view, await kindsOf(host, view));
  const { items } = await host.list({ contact }, { limit: 1 });
  return items.length === 0 ? 'new' : 'ended';
}

function statusOf({ state, waits }: InstanceView, kinds: readonly string[]): ChatStatus {
  if (kinds.includes('suspended') || waits.some((wait) => wait.for === 'decision')) return 'person';
  if (waits.some((wait) => wait.for === 'retry')) return 'delayed';
  const isBusy = kinds.includes('working') || waits.some((wait) => wait.for === 'call');
  return isBusy && state !== 'QUEUED' ? 'typing' : 'idle';
}

/** The kinds of the state that an instance is in. Lifecycles of their own have other names for the same kinds. */
async function kindsOf(host: ChannelHost, { id, state }: InstanceView): Promise<readonly string[]> {
  const { lifecycle } = await host.charts(id);
  const pending: ChartNode[] = [lifecycle.chart];
  for (const node of pending) {
    if (node.meta?.['state'] === state) return node.tags ?? [];
    pending.push(...Object.values(node.states ?? {}));
  }
  return [];
}
