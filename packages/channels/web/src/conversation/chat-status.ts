import type { InstanceView } from '@dramaturg/host';
import { type ChannelHost, restOf } from '@dramaturg/host/channel';
import type { ChatStatus } from '../protocol.ts';
import { conversationsOf } from './conversations-of.ts';

/** What the conversation of a contact does. */
export async function readStatus(host: ChannelHost, contact: string): Promise<ChatStatus> {
  const open = await conversationsOf(host, contact, { ended: false });
  const views = await Promise.all(open.map(({ id }) => host.get(id)));
  const view = views.find(({ holdsContact }) => holdsContact) ?? views.at(-1);
  if (view) return statusOf(view);
  const { items } = await host.list({ contact }, { limit: 1 });
  return items.length === 0 ? 'new' : 'ended';
}

function statusOf(view: InstanceView): ChatStatus {
  const rest = restOf(view);
  if (rest === 'answered' || view.state === 'QUEUED') return 'idle';
  if (rest !== undefined) return 'person';
  return view.waits.some((wait) => wait.for === 'retry') ? 'delayed' : 'typing';
}
