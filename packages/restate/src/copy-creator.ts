import { HostError, type HostEvent, type InstanceHistory, StoreError } from '@dramaturg/host';
import type { DefinitionVersion } from '@dramaturg/host/store';
import { type ForkCreator, ForkRecord, journalLine, startOfCopy } from '@dramaturg/host/engine';
import type { Engine } from './engine.ts';
import type { RestateStore } from './reading/restate-store.ts';

/** Stores copies that are made by repeating steps, page by page, in the object of the copy. It begins with the last page. */
export class CopyCreator implements ForkCreator<{ readonly state: string }> {
  readonly #store: RestateStore;
  readonly #engine: Engine;

  constructor(store: RestateStore, engine: Engine) {
    this.#store = store;
    this.#engine = engine;
  }

  async createFork(
    id: string,
    definition: DefinitionVersion,
    forked: HostEvent,
    repeat: (record: ForkRecord) => Promise<InstanceHistory>,
  ): Promise<{ readonly state: string }> {
    const { surroundings, onError } = this.#engine;
    const record = new ForkRecord(this.#store, { id, definition, createdAt: forked.at });
    try {
      const copy = await repeat(record);
      const start = startOfCopy(copy, surroundings.isWaitedFor);
      await record.complete(start, journalLine(forked));
      return { state: start.status };
    } catch (error) {
      await record
        .discard()
        .catch((failure: unknown) =>
          onError(failure, `deleting the incomplete fork ${JSON.stringify(id)}`),
        );
      if (error instanceof StoreError && error.code === 'store/exists')
        throw new HostError('host/exists', `There is an instance ${JSON.stringify(id)} already.`);
      throw error;
    }
  }
}
