import type { HostEvent } from '@dramaturg/host';
import { hasHandlers } from '@dramaturg/restate';
import { restateHost } from '../../../restate.ts';
import { localHost } from '../../../service/local-host.ts';
import { UsageError } from '../../usage-error.ts';
import { contactForms } from '../gateway/provider-channels.ts';
import type { ServedGateway } from '../gateway/gateway.ts';
import type { RestateLocation } from './location.ts';
import { WithoutHandlersError } from '../gateway/explain-error.ts';

const gateways = new Map<string, Promise<ServedGateway>>();

/** The gateway of the instances on a Restate server, which the handlers of other processes run. */
export function restateGateway(
  location: RestateLocation,
  channel?: string,
): Promise<ServedGateway> {
  const key = JSON.stringify([location, channel]);
  const known = gateways.get(key) ?? openGateway(location, channel);
  gateways.set(key, known);
  return known;
}

/** Calls the handlers of other processes. It serves none itself, so there is nothing to close. */
async function openGateway(
  location: RestateLocation,
  channel: string | undefined,
): Promise<ServedGateway> {
  const { ingress, admin, namespace } = location;
  const channels = await contactForms(channel);
  const host = await restateHost({ ingress, admin, namespace, channels, handlers: false });
  const local = localHost(host, { channels: [] });
  /** An empty list may mean that the namespace is misspelt. */
  const requireAny = async <Found>(found: Found, count: number) => {
    if (count === 0) await requireHandlers(location);
    return found;
  };
  return {
    ...local,
    isServed: true,
    settle: () => Promise.resolve(undefined),
    close: () => Promise.resolve(),
    backup: () =>
      Promise.reject(
        new UsageError(
          'Restate keeps its data itself, so there is nothing here to copy.',
          'Configure snapshots of its partitions to an object store.',
        ),
      ),
    list: async (...given) => {
      const found = await local.list(...given);
      return requireAny(found, found.items.length);
    },
    decisions: async (...given) => {
      const found = await local.decisions(...given);
      return requireAny(found, found.items.length);
    },
    verify: async (...given) => {
      const found = await local.verify(...given);
      return requireAny(found, found.records);
    },
    /** The events of a single instance end when the instance ends. */
    follow: async ({ instance }) => {
      await requireHandlers(location);
      const closing = new AbortController();
      const { signal } = closing;
      const events = local.events(instance === undefined ? { signal } : { instance, signal });
      if (instance !== undefined && (await local.get(instance)).ended) closing.abort();
      return {
        [Symbol.asyncIterator]: () =>
          (instance === undefined ? events : untilEnd(events, closing))[Symbol.asyncIterator](),
        close: () => closing.abort(),
      };
    },
  };
}

async function* untilEnd(
  events: AsyncIterable<HostEvent>,
  closing: AbortController,
): AsyncGenerator<HostEvent> {
  for await (const each of events) {
    yield each;
    if (each.event.type === 'instance.ended') closing.abort();
  }
}

async function requireHandlers(location: RestateLocation): Promise<void> {
  if (!(await hasHandlers(location))) throw new WithoutHandlersError(location);
}
