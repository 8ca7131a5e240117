import { AttachmentFiles } from '../attachments/attachment-files.ts';
import type { StoreLocation } from '../store/contract.ts';
import { type EraseOptions, Eraser } from '../erasure/eraser.ts';
import type { ErasureReceipt } from '../erasure/receipt.ts';
import type { MemoryOwner } from '../memory/memory-owner.ts';
import { requireComplete } from '../store/copy/unfinished-copy.ts';
import type { HostEvent } from '../instance/event.ts';
import type { Host } from './host.ts';
import { InstanceReader, type ReadOptions } from './instance-reader.ts';
import { hostOn } from './local-engine.ts';
import { type HostOptions, hostOptionNames } from './options.ts';
import { requireContact, requireKnown } from './request.ts';

/**
 * Opens a store. Its instances resume in the background, in any number: unfinished calls and messages continue, overdue timers
 * fire, and instances whose contact has become free begin. `settle` waits for that.
 *
 * @throws StoreError `store/owned` when another host has the store (H6), `store/foreign` when the store is an unfinished copy
 * @throws LinkError, ChartError when a chart names code that its format does not have
 * @throws HostError `host/unknown-option`
 */
export async function createHost<Event extends object = HostEvent>(
  options: HostOptions,
): Promise<Host<Event>> {
  requireKnown(options, hostOptionNames, 'options of the host');
  const store = await options.store.open(options.name ?? 'a host');
  try {
    await requireComplete(store);
    return await hostOn<Event>(store, options);
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * Opens a store for reading. No timer fires, no call is made and no message is sent. It takes no lock and writes nothing, so
 * it works on a full and on a read-only disk.
 *
 * @throws StoreError `store/owned` while a host has the store; `store/foreign` when the store is an unfinished copy
 */
export async function readStore(
  place: StoreLocation,
  options: ReadOptions = {},
): Promise<InstanceReader> {
  const store = await place.read();
  try {
    await requireComplete(store);
  } catch (error) {
    await store.close();
    throw error;
  }
  return new InstanceReader(store, Date.now, options);
}

/**
 * Erases everything about a contact from a store that no host runs. Instances that have not ended are not notified.
 *
 * @param memory `forget` deletes the memories of the instances, and is a part of `memoryPorts`; `attachments` has the place of
 *   files that people have sent; `name` is the name of this
 *   process, for people who find the store in use
 * @throws as `Host.erase`; StoreError `store/owned`, `store/foreign` when the store is an unfinished copy
 *
 * @example
 * ```ts
 * const store = memoryStore();
 * const host = await createHost({ store, definitions: { intake }, ports: understudyPorts() });
 * await host.start('intake', { contact: 'ada' });
 * await host.stop();
 * const { instances } = await eraseFrom(
 *   store,
 *   { contact: 'ada', running: 'end' },
 *   { forget: async () => 0 },
 * );
 * console.log(instances); // → 1
 * ```
 */
export async function eraseFrom(
  place: StoreLocation,
  { running = 'refuse', rewrite, ...written }: EraseOptions,
  {
    forget,
    channels = {},
    attachments,
    name = 'an erase',
  }: Pick<MemoryOwner, 'forget'> &
    Pick<ReadOptions, 'channels' | 'attachments'> & { readonly name?: string },
): Promise<ErasureReceipt> {
  const key = requireContact(written, channels);
  const store = await place.open(name);
  try {
    await requireComplete(store);
    // It is not known whether instances have stored memories.
    const ports = { forget, remember: () => ({ stored: true }) };
    const files = attachments && new AttachmentFiles(attachments.place);
    const eraser = new Eraser({ store, ports, files, onError: () => {} });
    return await eraser.contact(key, running, rewrite);
  } finally {
    await store.close();
  }
}
