import type { Json } from '@dramaturg/compiler';
import type { LoadedDefinition, Library } from '../definitions/library.ts';
import { HostError } from '../errors.ts';
import { type HostEvent, journalLine } from '../instance/event.ts';
import { type Decided, LiveInstance, type Surroundings } from '../instance/live-instance.ts';
import type { Birth } from '../instance/state.ts';
import type { Committed, DefinitionVersion, Store } from '../store/contract.ts';
import { type InstanceHistory, openCalls } from '../history/history.ts';
import { StoreError } from '../store/errors.ts';
import type { Runner } from './runner.ts';
import type { ActiveInstances } from './active-instances.ts';

export interface StartingOptions {
  readonly store: Store;
  readonly library: Library;
  readonly activeInstances: ActiveInstances;
  readonly surroundings: Surroundings;
}

/** Brings instances into being. */
export class Starting {
  readonly #options: StartingOptions;
  #last = -Infinity;

  constructor(options: StartingOptions) {
    this.#options = options;
  }

  /**
   * Creates an instance, stores it, and has it go on.
   *
   * @param last when the last one in the same line was created
   * @param needs definitions that are stored with it
   * @returns what it has decided, which is stored
   * @throws InputError; HostError `host/exists`, `host/message-refused`. Nothing is stored then.
   */
  async start(
    definition: LoadedDefinition,
    birth: Birth,
    last: number,
    needs: readonly LoadedDefinition[],
  ): Promise<{ readonly runner: Runner; readonly decided: Decided }> {
    const { library, activeInstances, surroundings } = this.#options;
    // Those that are created at the same time, or while the clock was set back, keep their order.
    const createdAt = Math.max(surroundings.world.now(), Math.max(this.#last, last) + 0.001);
    this.#last = createdAt;
    const definitions = definition.lifecycle
      ? { lifecycle: await library.load(definition.lifecycle), flow: definition }
      : { lifecycle: definition };
    const { instance, decided } = await LiveInstance.begin(birth, definitions, surroundings);
    for (const each of [definition, ...needs]) await library.keep(each);
    const runner = await activeInstances.add(birth.id, async () => {
      const { revision } = await this.#store(instance, definition, decided, createdAt);
      return { instance, revision };
    });
    return { runner, decided };
  }

  /**
   * Stores an instance that begins where another one was, with the record of how it came there, and has it go on.
   *
   * @throws HostError `host/exists`
   */
  async fork(
    copy: InstanceHistory,
    definition: DefinitionVersion,
    forked: HostEvent,
  ): Promise<Runner> {
    const { activeInstances, store, surroundings } = this.#options;
    const { instance } = copy;
    const { id, status, ended } = instance;
    const createdAt = Math.max(surroundings.world.now(), this.#last + 0.001);
    this.#last = createdAt;
    const calls = [...openCalls(instance)];
    const isWaitedFor = ([, { call }]: (typeof calls)[number]) =>
      surroundings.isWaitedFor(call.port);
    const questions = calls.filter(
      (each) => each[1].call.port === 'requestDecision' && isWaitedFor(each),
    );
    return activeInstances.add(id, async () => {
      await created(id, () =>
        store.create({
          id,
          kind: 'instance',
          definition,
          createdAt,
          status,
          ended,
          snapshot: instance.state as unknown as Json,
          timers: copy.view().timers,
          questions: questions.length,
          outbox: calls
            .filter((each) => !isWaitedFor(each))
            .map(([letter, { call }]) => ({ id: letter, body: { kind: 'call', port: call.port } })),
          journal: [...copy.journal, journalLine(forked)],
          transcript: copy.transcript,
        }),
      );
      return activeInstances.stored(id);
    });
  }

  async #store(
    { id, contact, status, ended, state }: LiveInstance,
    { ref: definition }: LoadedDefinition,
    { change }: Decided,
    createdAt: number,
  ): Promise<Committed> {
    const { questions = 0 } = change!;
    const { snapshot = null, timers = [], effects = [], journal = [], transcript = [] } = change!;
    return created(id, () =>
      this.#options.store.create({
        id,
        kind: 'instance',
        ...(contact === undefined ? {} : { contact }),
        ...(state.parent ? { parent: state.parent.instance } : {}),
        definition,
        createdAt,
        status,
        ended,
        snapshot,
        timers,
        questions,
        outbox: effects,
        journal,
        transcript,
      }),
    );
  }
}

async function created(id: string, create: () => Promise<Committed>): Promise<Committed> {
  try {
    return await create();
  } catch (error) {
    if (error instanceof StoreError && error.code === 'store/exists')
      throw new HostError('host/exists', `There is an instance ${JSON.stringify(id)} already.`);
    throw error;
  }
}
