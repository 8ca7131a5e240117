import { isTurnLong } from '@dramaturg/compiler/machine';
import type { LoadedDefinition, Library } from '../definitions/library.ts';
import { HostError, unknownInstance } from '../errors.ts';
import { startOfCopy } from '../history/copy-start.ts';
import type { InstanceHistory } from '../history/history.ts';
import { type HostEvent, journalLine } from '../instance/event.ts';
import { inTurns } from '../instance/work-left-error.ts';
import { answerInThread } from '../threads/threads.ts';
import { LiveInstance } from '../instance/live-instance.ts';
import type { Birth } from '../instance/state.ts';
import type { StepChange, StoredSteps } from '../instance/step-result.ts';
import { definitionsOfNew, type Surroundings } from '../instance/surroundings.ts';
import type { Committed, DefinitionVersion, Store, Timer } from '../store/contract.ts';
import { StoreError } from '../store/errors.ts';
import type { ActiveInstances } from './active-instances.ts';
import type { OnError } from './error-reporter.ts';
import { withCursors } from './event-cursor.ts';
import { ForkRecord } from './fork-record.ts';
import type { LoopMonitor } from './loop-monitor.ts';
import type { Runner } from './runner.ts';

export interface InstanceCreatorOptions {
  readonly store: Store;
  readonly library: Library;
  readonly activeInstances: ActiveInstances;
  readonly surroundings: Surroundings;
  readonly monitor: LoopMonitor;
  readonly onError: OnError;
}

/** Creates the records of instances, and starts their runners. Owns the order of creation times. */
export class InstanceCreator {
  readonly #options: InstanceCreatorOptions;
  #lastCreatedAt = -Infinity;

  constructor(options: InstanceCreatorOptions) {
    this.#options = options;
  }

  /**
   * Creates an instance, stores it, and starts its runner.
   *
   * @param lastCreatedAt when the last instance in the queue of the contact was created
   * @param needs definitions that are stored with the instance
   * @throws InputError; HostError `host/exists`, `host/message-refused`. Nothing is stored then.
   */
  async create(
    definition: LoadedDefinition,
    birth: Birth,
    lastCreatedAt: number,
    needs: readonly LoadedDefinition[],
  ): Promise<{ readonly runner: Runner; readonly stored: StoredSteps }> {
    const { library, activeInstances, surroundings, monitor } = this.#options;
    const createdAt = this.#nextCreatedAt(lastCreatedAt);
    const definitions = await definitionsOfNew(definition, library);
    if (isTurnLong()) await surroundings.world.nextTurn();
    const begunAt = monitor.begin();
    let hasWaited = false;
    const attempt = answerInThread && inTurns(answerInThread, () => (hasWaited = true));
    const beginning = LiveInstance.begin(birth, definitions, surroundings, attempt);
    monitor.wait(begunAt);
    const { instance, result } = await beginning;
    if (instance.waitCount === 0 && !hasWaited) monitor.end(begunAt, instance, () => 'begin');
    for (const each of [definition, ...needs]) await library.keep(each);
    if (isTurnLong()) await surroundings.world.nextTurn();
    const change = instance.takeChange();
    const runner = await activeInstances.add(birth.id, async () => {
      const { parent } = birth;
      // The parent is being erased, and nothing would lead to the child.
      if (parent && !activeInstances.peek(parent.instance)) throw unknownInstance(parent.instance);
      const { revision, journalLength } = await this.#store(
        instance,
        definition,
        { ...change, ...result.lines! },
        createdAt,
      );
      return { instance, revision, journalLength };
    });
    return { runner, stored: { events: withCursors([result], 0), timers: change.timers } };
  }

  /**
   * Stores an instance that begins as a copy of another one, with the journal of its steps, and starts its runner. When this
   * rejects, nothing of the copy is stored.
   *
   * @param repeat repeats the steps of the other one, and adds the lines of the copy to its record
   * @throws HostError `host/exists`
   */
  async createFork(
    id: string,
    definition: DefinitionVersion,
    forked: HostEvent,
    repeat: (record: ForkRecord) => Promise<InstanceHistory>,
  ): Promise<{
    readonly runner: Runner;
    readonly timers: readonly Timer[];
    readonly journalLength: number;
  }> {
    const { activeInstances, store, surroundings, onError } = this.#options;
    const createdAt = this.#nextCreatedAt();
    const record = new ForkRecord(store, { id, definition, createdAt });
    try {
      const copy = await rejectExisting(id, () => repeat(record));
      const start = startOfCopy(copy, surroundings.isWaitedFor);
      let journalLength = 0;
      const runner = await activeInstances.add(id, async () => {
        await rejectExisting(id, () => record.complete(start, journalLine(forked)));
        const loaded = await activeInstances.loadStored(id);
        ({ journalLength } = loaded);
        return loaded;
      });
      return { runner, timers: start.timers, journalLength };
    } catch (error) {
      await record
        .discard()
        .catch((failure: unknown) =>
          onError(failure, `deleting the incomplete fork ${JSON.stringify(id)}`),
        );
      throw error;
    }
  }

  /** Strictly increasing, even within one millisecond and after the clock was set back. */
  #nextCreatedAt(lastInQueue = -Infinity): number {
    const now = this.#options.surroundings.world.now();
    this.#lastCreatedAt = Math.max(now, Math.max(this.#lastCreatedAt, lastInQueue) + 0.001);
    return this.#lastCreatedAt;
  }

  async #store(
    { id, contact, state, storedForm }: LiveInstance,
    { ref: definition }: LoadedDefinition,
    change: StepChange,
    createdAt: number,
  ): Promise<Committed> {
    const { status, ended } = change;
    const stored = storedForm.of(change);
    const { snapshot, parts, timers, questions, effects, journal, transcript } = stored;
    const { attention } = stored;
    const { parent } = state;
    if (isTurnLong()) await this.#options.surroundings.world.nextTurn();
    const committed = await rejectExisting(id, () =>
      this.#options.store.create({
        id,
        kind: 'instance',
        ...(contact === undefined ? {} : { contact }),
        ...(parent ? { parent: parent.instance } : {}),
        definition,
        createdAt,
        status,
        ended,
        snapshot,
        ...(parts.set && { parts: parts.set }),
        timers,
        questions,
        attention,
        outbox: effects,
        journal,
        transcript,
      }),
    );
    storedForm.stored(committed);
    if (isTurnLong()) await this.#options.surroundings.world.nextTurn();
    return committed;
  }
}

async function rejectExisting<Value>(id: string, create: () => Promise<Value>): Promise<Value> {
  try {
    return await create();
  } catch (error) {
    if (error instanceof StoreError && error.code === 'store/exists')
      throw new HostError('host/exists', `There is an instance ${JSON.stringify(id)} already.`);
    throw error;
  }
}
