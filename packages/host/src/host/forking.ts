import type { Behaviour, JsonObject } from '@dramaturg/compiler';
import type { LoadedDefinition, Library } from '../definitions/library.ts';
import { forked } from '../history/fork.ts';
import { HostError } from '../errors.ts';
import type { HostEvent } from '../instance/event.ts';
import type { Surroundings } from '../instance/surroundings.ts';
import type { Birth } from '../instance/state.ts';
import type { Timer } from '../store/contract.ts';
import { renamed } from '../xstate/renamed.ts';
import { readLines } from '../store/pages.ts';
import type { Checkpoints } from './checkpoints.ts';
import type { ForkRecord } from './fork-record.ts';
import type { InstanceCreator } from './instance-creator.ts';
import type { InstanceReader } from './instance-reader.ts';
import type { AtCheckpoint, AtStep } from './options.ts';
import { requireId } from './request.ts';
import type { Runner } from './runner.ts';

export interface ForkingOptions {
  readonly reader: InstanceReader;
  readonly behaviours: ReadonlyMap<string, Behaviour>;
  readonly checkpoints: Checkpoints;
  readonly library: Library;
  readonly creator: InstanceCreator;
  readonly surroundings: Surroundings;
  readonly uuid: () => string;
}

/** A stored fork at a step. */
export interface Forked {
  readonly runner: Runner;
  readonly timers: readonly Timer[];
  /** The event that records the fork. */
  readonly event: HostEvent;
}

/** The options to start an instance at a save point of another one. */
export interface ForkAtCheckpoint {
  readonly definition: LoadedDefinition;
  readonly order: {
    readonly id: string;
    readonly contact?: string;
    readonly channel: string | null;
    readonly input: JsonObject;
    readonly copy: NonNullable<Birth['copy']>;
  };
}

/** Copies instances, at a step or a save point. The original is only read. Owns the forks that are being copied. */
export class Forking {
  readonly #options: ForkingOptions;
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<Forked>>();

  constructor(options: ForkingOptions) {
    this.#options = options;
  }

  /**
   * Stores a fork at a step, and starts its runner.
   *
   * @throws as `forked`, `InstanceCreator.createFork`; the reason of the signal when it aborts
   */
  atStep(id: string, at: AtStep): Promise<Forked> {
    const fork = this.#atStep(id, at);
    this.#running.add(fork);
    const forget = () => this.#running.delete(fork);
    fork.then(forget, forget);
    return fork;
  }

  /** Stops the forks that are being copied, and resolves when nothing of them is stored. */
  async stop(): Promise<void> {
    this.#stopping.abort(
      new HostError('host/stopped', 'The host stopped before the fork was complete.'),
    );
    await Promise.allSettled(this.#running);
  }

  async #atStep(id: string, at: AtStep): Promise<Forked> {
    const { step, id: fork = this.#options.uuid(), signal, onProgress } = at;
    requireId(fork);
    const { reader, behaviours, creator, surroundings } = this.#options;
    const stop = AbortSignal.any([this.#stopping.signal, ...(signal ? [signal] : [])]);
    const charts = await reader.charts(id);
    const repeat = (record: ForkRecord) =>
      forked({
        id,
        fork,
        step,
        charts,
        journal: readLines((range) => reader.journal(id, range)),
        behaviours,
        isDefinition: (agent) => surroundings.definitionOf(agent) !== undefined,
        onPage: async (lines, steps, { state }) => {
          stop.throwIfAborted();
          await record.add(lines, state);
          onProgress?.(steps);
        },
      });
    const event: HostEvent = {
      instance: fork,
      at: surroundings.world.now(),
      source: 'host',
      event: { type: 'instance.forked', from: id, step },
    };
    const { ref } = charts.flow ?? charts.lifecycle;
    return { event, ...(await creator.createFork(fork, ref, event, repeat)) };
  }

  async atCheckpoint(
    instance: string,
    { checkpoint, ...given }: AtCheckpoint,
  ): Promise<ForkAtCheckpoint> {
    const { reader, checkpoints, library, uuid } = this.#options;
    await reader.get(instance);
    const { run, definition: ref } = await checkpoints.read(instance, checkpoint);
    const definition = await library.load(ref);
    const { id = uuid(), contact = run.address, channel = run.channel } = given;
    requireId(id);
    const flow = renamed(run.flow, id, library.identityOf(definition));
    const order = {
      id,
      channel,
      input: { ...run.input, id },
      ...(contact === null ? {} : { contact }),
      copy: { of: { instance, checkpoint }, flow },
    };
    return { definition, order };
  }
}
