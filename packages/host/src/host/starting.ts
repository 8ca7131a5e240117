import type { Edition, Library } from '../definitions/library.ts';
import { HostError } from '../errors.ts';
import { type Decided, LiveInstance, type Surroundings } from '../instance/live-instance.ts';
import type { Birth } from '../instance/state.ts';
import type { Committed, Store } from '../store/contract.ts';
import { StoreError } from '../store/errors.ts';
import type { Runner } from './runner.ts';
import type { Waking } from './waking.ts';

export interface StartingOptions {
  readonly store: Store;
  readonly library: Library;
  readonly waking: Waking;
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
   * @returns what it has decided, which is stored
   * @throws InputError; HostError `host/exists`
   */
  async start(
    edition: Edition,
    birth: Birth,
    last: number,
  ): Promise<{ readonly runner: Runner; readonly decided: Decided }> {
    const { library, waking, surroundings } = this.#options;
    // Those that are created at the same time, or while the clock was set back, keep their order.
    const createdAt = Math.max(surroundings.now(), Math.max(this.#last, last) + 0.001);
    this.#last = createdAt;
    const editions = edition.life
      ? { life: await library.edition(edition.life), flow: edition }
      : { life: edition };
    const { instance, decided } = await LiveInstance.begin(birth, editions, surroundings);
    const runner = await waking.add(birth.id, async () => {
      const { revision } = await this.#store(instance, edition, decided, createdAt);
      return { instance, revision };
    });
    return { runner, decided };
  }

  async #store(
    { id, contact, status, ended, state }: LiveInstance,
    { ref: definition }: Edition,
    { change }: Decided,
    createdAt: number,
  ): Promise<Committed> {
    const { questions = 0 } = change!;
    const { snapshot = null, timers = [], effects = [], journal = [], transcript = [] } = change!;
    try {
      return await this.#options.store.create({
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
      });
    } catch (error) {
      if (error instanceof StoreError && error.code === 'store/exists')
        throw new HostError('host/exists', `There is an instance ${JSON.stringify(id)} already.`);
      throw error;
    }
  }
}
