import { counted } from '@dramaturg/compiler/text';
import type { AttachmentFiles } from '../attachments/attachment-files.ts';
import type { WrittenContact } from '../contact.ts';
import { HostError, unlessErased } from '../errors.ts';
import type { OnError } from '../host/error-reporter.ts';
import { filesId } from '../host/record-ids.ts';
import { forgetErased } from '../host/quarantine.ts';
import { type MemoryPorts, storesMemories } from '../memory/memory-owner.ts';
import type { RecordSummary, Store } from '../store/contract.ts';
import { copyLinkOf } from './copy-links.ts';
import { instancesOf, listAll, withDescendants } from './family.ts';
import type { ErasureReceipt } from './receipt.ts';

/** The contact whose data to erase, and the rule for running instances. */
export interface EraseOptions extends WrittenContact {
  /**
   * `refuse` (the default) erases nothing while an instance of the contact has not ended. `end` cancels such instances:
   * their calls are aborted, and their unsent messages are discarded.
   */
  readonly running?: 'refuse' | 'end';
  /** Postgres rewrites its tables, so that no byte of deleted rows is left. All calls wait until this is done. */
  readonly rewrite?: boolean | undefined;
}

/** What an erase needs from the host that runs the instances. */
export interface LiveInstances {
  /** Runs work while no message and no start of the contact is handled. */
  readonly exclusive: <Value>(contact: string, work: () => Promise<Value>) => Promise<Value>;
  readonly cancel: (id: string, reason: string) => Promise<unknown>;
  /** Takes an instance out of memory. A caller that uses it waits for `end`, and then loads it from the store. */
  readonly withdraw: (id: string, end: Promise<void>) => Promise<void>;
  /** Fulfils when every new instance is stored or refused. */
  readonly whenCreated: () => Promise<void>;
  /** The record of an instance was deleted. */
  readonly onErased: (id: string) => void;
  /** Fulfils when no record of the host contains the id of an erased instance. */
  readonly whenForgotten: () => Promise<void>;
}

export interface EraserOptions {
  readonly store: Store;
  /** The instances in memory; undefined when no host runs. */
  readonly live?: LiveInstances;
  /** When `remember` stores memories and `forget` is missing, nothing is erased, because the memories would stay unnoticed. */
  readonly ports: MemoryPorts;
  /** The files that people have sent. */
  readonly files?: AttachmentFiles | undefined;
  readonly onError: OnError;
}

type Counts = Pick<ErasureReceipt, 'instances' | 'lines' | 'savePoints' | 'memories' | 'files'>;

/**
 * Deletes instances with everything that belongs to them. Memories go first, because only the ids of the instances lead to them,
 * and each record goes before the record that leads to it. So repeating an interrupted erase completes it.
 */
export class Eraser {
  readonly #options: EraserOptions;

  constructor(options: EraserOptions) {
    this.#options = options;
  }

  /**
   * Erases everything about a contact. Messages and starts of the contact wait until it is done.
   *
   * @param contact in its canonical form
   * @throws InstancesRunningError; HostError `host/cannot-erase`; StoreError
   */
  async contact(
    contact: string,
    running: NonNullable<EraseOptions['running']>,
    rewrite = false,
  ): Promise<ErasureReceipt> {
    this.requireForget();
    const { store, live: host } = this.#options;
    const exclusive = host?.exclusive ?? ((_, work) => work());
    // Enters the queue before the first await: the order of calls is the order in the queue.
    const { bytesBefore, ended, counts } = await exclusive(contact, async () => {
      await this.#requireFiles();
      const size = await store.size();
      const live = (await instancesOf(store, contact)).filter((each) => !each.ended);
      if (running === 'refuse' && live.length > 0)
        throw new InstancesRunningError(live.map(({ id }) => id));
      const find = () => instancesOf(store, contact);
      const erased = await this.#erase(find);
      for (const kind of ['copy', 'opt-out'])
        for (const { id } of await listAll(store, { kind, contact })) await store.delete(id);
      const files = (await this.#options.files?.erase(contact)) ?? 0;
      const all = files > 0 ? { ...erased, files } : erased;
      return { bytesBefore: size, ended: live.length, counts: all };
    });
    await this.whenForgotten();
    const remains = await store.compact(rewrite);
    const unreadable = (await store.damaged()).length;
    const bytesAfter = await store.size();
    return { ...counts, ended, unreadable, bytesBefore, bytesAfter, ...(remains && { remains }) };
  }

  /**
   * Erases instances that have ended, with their descendants. The files of a contact go with its last instance. The store is not
   * compacted.
   */
  async instances(roots: readonly RecordSummary[]): Promise<Counts> {
    const { store, files } = this.#options;
    await this.#requireFiles();
    const counts = await this.#erase(() => withDescendants(store, roots));
    for (const contact of new Set(files && roots.map((root) => root.contact)))
      if (contact && (await instancesOf(store, contact)).length === 0) await files!.erase(contact);
    return counts;
  }

  /** Called before the store is compacted. */
  async whenForgotten(): Promise<void> {
    const { live, store } = this.#options;
    await (live ? live.whenForgotten() : forgetErased(store));
  }

  /** @throws HostError `host/cannot-erase` */
  requireForget(): void {
    const { ports } = this.#options;
    if (ports.forget || !storesMemories(ports)) return;
    throw new HostError(
      'host/cannot-erase',
      'The host has a port "remember" and cannot erase its memories. Pass "forget" with it: createHost({ ports: { ...memoryPorts() } }), or your own.',
    );
  }

  /** Without their place, the files of a contact would stay unnoticed. */
  async #requireFiles(): Promise<void> {
    const { files, store } = this.#options;
    if (files || !(await store.read(filesId))) return;
    throw new HostError(
      'host/cannot-erase',
      'A host has kept files that the contacts of this store have sent. Pass "attachments" with their place: createHost({ attachments }), or eraseFrom(store, { contact }, { attachments }).',
    );
  }

  async #erase(find: () => Promise<readonly RecordSummary[]>): Promise<Counts> {
    const { live, ports } = this.#options;
    let endWithdrawal = () => {};
    const end = new Promise<void>((resolve) => {
      endWithdrawal = resolve;
    });
    try {
      const withdrawn = new Map<string, RecordSummary>();
      for (;;) {
        const found = (await find()).filter(({ id }) => !withdrawn.has(id));
        if (found.length === 0) break;
        for (const each of found) if (!each.ended) await this.#cancel(each.id);
        for (const each of found) {
          withdrawn.set(each.id, each);
          await live?.withdraw(each.id, end);
        }
        // A child that is just being stored is found in the next round.
        await live?.whenCreated();
      }
      // Counted and ordered now, when nothing writes to them any more.
      const instances = await find();
      const ids = instances.map(({ id }) => id);
      const memories = ids.length === 0 ? 0 : ((await ports.forget?.(ids)) ?? 0);
      return { memories, ...(await this.#delete(instances)) };
    } finally {
      endWithdrawal();
    }
  }

  async #delete(instances: readonly RecordSummary[]): Promise<Omit<Counts, 'memories'>> {
    const { store } = this.#options;
    let [lines, savePoints] = [0, 0];
    for (const { id, journalLength, transcriptLength } of instances) {
      for (const checkpoint of await listAll(store, { kind: 'checkpoint', parent: id }))
        if (await store.delete(checkpoint.id)) savePoints += 1;
      if (await store.delete(id)) lines += journalLength + transcriptLength;
      this.#options.live?.onErased(id);
      await store.delete(copyLinkOf(id));
    }
    return { instances: instances.length, lines, savePoints };
  }

  /** An instance that cannot be cancelled, such as a damaged one, is still erased. */
  async #cancel(id: string): Promise<void> {
    const { live, onError } = this.#options;
    try {
      if (live) await unlessErased(live.cancel(id, 'erased'));
    } catch (error) {
      onError(error, 'ending an instance before its data is erased');
    }
  }
}

/**
 * Nothing was erased, because instances of the contact have not ended.
 *
 * @example
 * ```ts
 * const host = await createHost({
 *   store: memoryStore(),
 *   definitions: { intake },
 *   ports: { ...understudyPorts(), ...memoryPorts() },
 * });
 * const { id } = await host.start('intake', { contact: 'ada' });
 * try {
 *   await host.erase({ contact: 'ada' });
 * } catch (error) {
 *   if (error instanceof InstancesRunningError)
 *     console.log(error.instances.length === 1 && error.instances[0] === id); // → true
 * }
 * await host.stop();
 * ```
 */
export class InstancesRunningError extends HostError {
  /** Ids of the instances. */
  readonly instances: readonly string[];

  constructor(instances: readonly string[]) {
    const shown = instances.slice(0, 5).map((id) => JSON.stringify(id));
    const more = instances.length > shown.length ? ', ...' : '';
    super(
      'host/instances-running',
      `${counted(instances.length, 'instance')} of the contact ${instances.length === 1 ? 'has' : 'have'} not ended: ${shown.join(', ')}${more}. Nothing was erased.`,
    );
    this.instances = instances;
  }
}
