import type { HostEvent } from '@dramaturg/host';
import { hasHandlers } from '@dramaturg/restate';
import type { Host } from '../../../host.ts';
import { restateHost } from '../../../restate.ts';
import { UsageError } from '../../usage-error.ts';
import type { Events } from '@dramaturg/service/client';
import { contactForms } from '../gateway/provider-channels.ts';
import type { Gateway, ServedGateway } from '../gateway/gateway.ts';
import { LocalGateway } from '../gateway/local-gateway.ts';
import type { RestateLocation } from './location.ts';
import { WithoutHandlersError } from './without-handlers-error.ts';

const gateways = new Map<string, Promise<RestateGateway>>();

/** The gateway of the instances on a Restate server, which the handlers of other processes run. */
export function restateGateway(
  location: RestateLocation,
  channel?: string,
): Promise<RestateGateway> {
  const key = JSON.stringify([location, channel]);
  const known = gateways.get(key) ?? RestateGateway.open(location, channel);
  gateways.set(key, known);
  return known;
}

/** Calls the handlers of other processes. It serves none itself, so there is nothing to close. */
class RestateGateway extends LocalGateway implements ServedGateway {
  override readonly isServed = true;
  override readonly settle = () => Promise.resolve(undefined);
  override readonly close = () => Promise.resolve();

  static async open(
    { ingress, admin, namespace }: RestateLocation,
    channel: string | undefined,
  ): Promise<RestateGateway> {
    const channels = await contactForms(channel);
    const host = await restateHost({ ingress, admin, namespace, channels, handlers: false });
    return new RestateGateway(host, { ingress, admin, namespace });
  }

  readonly #location: RestateLocation;

  private constructor(host: Host, location: RestateLocation) {
    super(host, { settleTimeoutMs: 0, channels: [], folder: location.ingress });
    this.#location = location;
  }

  override readonly backup: Gateway['backup'] = () =>
    Promise.reject(
      new UsageError(
        'Restate keeps its data itself, so there is nothing here to copy.',
        'Configure snapshots of its partitions to an object store.',
      ),
    );

  /** An empty list may mean that the namespace is misspelt. */
  override readonly list: Gateway['list'] = async (filter, page) => {
    const found = await this.host.list(filter, page);
    if (found.items.length === 0) await requireHandlers(this.#location);
    return found;
  };

  override readonly decisions: Gateway['decisions'] = async (filter, page) => {
    const found = await this.host.decisions(filter, page);
    if (found.items.length === 0) await requireHandlers(this.#location);
    return found;
  };

  override readonly verify: Gateway['verify'] = async (onProgress) => {
    const found = await this.host.verify(onProgress);
    if (found.records === 0) await requireHandlers(this.#location);
    return found;
  };

  /** The events of one instance end with it. */
  readonly follow: ServedGateway['follow'] = async ({ instance }) => {
    await requireHandlers(this.#location);
    const closing = new AbortController();
    const { signal } = closing;
    const filter = instance === undefined ? { signal } : { instance, signal };
    const events = this.host.events(filter) as AsyncIterableIterator<HostEvent>;
    if (instance !== undefined && (await this.get(instance)).ended) closing.abort();
    return {
      [Symbol.asyncIterator]: () => (instance === undefined ? events : untilEnd(events, closing)),
      close: () => closing.abort(),
    } satisfies Events;
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
