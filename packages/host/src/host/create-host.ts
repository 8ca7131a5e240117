import type { StorePlace } from '../store/contract.ts';
import type { HostEvent } from '../instance/event.ts';
import { Host } from './host.ts';
import { InstanceReader } from './instance-reader.ts';
import { type HostOptions, hostOptionNames } from './options.ts';
import { requireKnown } from './request.ts';

/**
 * Opens a store and runs what is in it: calls and messages that were under way go on, timers that are overdue fire, and
 * whoever waits for a contact that has become free begins. Then new instances can be started.
 *
 * @throws StoreError `store/owned` when another host has the store (H6)
 * @throws LinkError, ChartError when a chart and the code behind it do not fit
 * @throws HostError `host/unknown-option`
 */
export async function createHost<Event extends object = HostEvent>(
  options: HostOptions,
): Promise<Host<Event>> {
  requireKnown(options, hostOptionNames, 'options of the host');
  const store = await options.store.open(options.name ?? 'a host');
  try {
    const host = new Host<Event>(store, options);
    await host.recover();
    return host;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * Opens a store to look at what is in it. Nothing in it goes on: no timer fires, no call is made and no message leaves. It
 * is the store's owner meanwhile all the same.
 *
 * @param name who this is, in words for people who find the store in use
 * @throws StoreError `store/owned`
 */
export async function readStore(place: StorePlace, name = 'a reader'): Promise<InstanceReader> {
  const store = await place.open(name);
  return new InstanceReader(store);
}
