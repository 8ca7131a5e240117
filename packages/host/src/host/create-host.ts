import type { StoreLocation } from '../store/contract.ts';
import type { HostEvent } from '../instance/event.ts';
import { Host } from './host.ts';
import { InstanceReader } from './instance-reader.ts';
import { type HostOptions, hostOptionNames } from './options.ts';
import { requireKnown } from './request.ts';

/**
 * Opens a store and resumes its instances: unfinished calls and messages go on, overdue timers fire, and instances whose
 * contact has become free begin. Then new instances can be started.
 *
 * @throws StoreError `store/owned` when another host has the store (H6)
 * @throws LinkError, ChartError when a chart names code that its format does not have
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
 * Opens a store for reading. No timer fires, no call is made and no message is sent. The reader owns the store until it
 * stops.
 *
 * @param name the name of this process, for people who find the store in use
 * @throws StoreError `store/owned`
 */
export async function readStore(place: StoreLocation, name = 'a reader'): Promise<InstanceReader> {
  const store = await place.open(name);
  return new InstanceReader(store);
}
