import type { JsonObject } from '@dramaturg/compiler';
import type { Behaviours } from '../definitions/behaviours.ts';
import type { Library, LoadedDefinition } from '../definitions/library.ts';
import { HostError } from '../errors.ts';
import { forked } from '../history/fork.ts';
import type { InstanceHistory } from '../history/history.ts';
import { contactInput } from '../instance/child-start.ts';
import type { HostEvent } from '../instance/event.ts';
import type { Birth } from '../instance/state.ts';
import type { Surroundings } from '../instance/surroundings.ts';
import type { DefinitionVersion } from '../store/contract.ts';
import { readLines } from '../store/pages.ts';
import { renamed } from '../xstate/renamed.ts';
import type { Checkpoints } from './checkpoints.ts';
import type { ForkRecord } from './fork-record.ts';
import type { InstanceReader } from './instance-reader.ts';
import type { AtCheckpoint, AtStep } from './options.ts';
import { type Channels, requireContact, requireId } from './request.ts';

/**
 * Stores and starts copies of instances that are made by repeating steps.
 *
 * @typeParam Made the created copy, as the creator describes it
 */
export interface ForkCreator<Made> {
  /**
   * @param repeat repeats the steps of the original, and adds the lines of the copy to its record
   * @throws HostError `host/exists`; nothing of the copy is stored then
   */
  readonly createFork: (
    id: string,
    definition: DefinitionVersion,
    forked: HostEvent,
    repeat: (record: ForkRecord) => Promise<InstanceHistory>,
  ) => Promise<Made>;
}

export interface ForkingOptions<Made> {
  readonly reader: InstanceReader;
  readonly behaviours: Behaviours;
  readonly checkpoints: Checkpoints;
  readonly library: Library;
  readonly creator: ForkCreator<Made>;
  readonly surroundings: Pick<Surroundings, 'definitionOf' | 'world'>;
  readonly uuid: () => string;
  readonly channels: Channels | undefined;
}

/** The options to start an instance at a save point of another one. */
export interface ForkAtCheckpoint {
  readonly definition: LoadedDefinition;
  readonly order: {
    readonly id: string;
    readonly contact?: string;
    readonly address: string | null;
    readonly channel: string | null;
    readonly input: JsonObject;
    readonly lifecycleInput?: JsonObject;
    readonly copy: NonNullable<Birth['copy']>;
  };
}

/** Copies instances, at a step or a save point. The original is only read. Owns the forks in progress. */
export class Forking<Made> {
  readonly #options: ForkingOptions<Made>;
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<unknown>>();

  constructor(options: ForkingOptions<Made>) {
    this.#options = options;
  }

  /**
   * Stores a fork at a step, and starts it.
   *
   * @returns the created copy, and the event that records the fork
   * @throws as `forked`, `InstanceCreator.createFork`; the reason of the signal when it aborts
   */
  atStep(id: string, at: AtStep): Promise<Made & { readonly event: HostEvent }> {
    const fork = this.#atStep(id, at);
    this.#running.add(fork);
    const forget = () => this.#running.delete(fork);
    fork.then(forget, forget);
    return fork;
  }

  /** Stops the forks in progress, and resolves when nothing of them is stored. */
  async stop(): Promise<void> {
    this.#stopping.abort(
      new HostError('host/stopped', 'The host stopped before the fork was complete.'),
    );
    await Promise.allSettled(this.#running);
  }

  async #atStep(id: string, at: AtStep): Promise<Made & { readonly event: HostEvent }> {
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
    // The record of the fork begins with the first version, and its steps lead to the later ones.
    const { ref } = charts.versions?.[0] ?? charts.flow ?? charts.lifecycle;
    return { event, ...(await creator.createFork(fork, ref, event, repeat)) };
  }

  async atCheckpoint(
    instance: string,
    { checkpoint, ...given }: AtCheckpoint,
  ): Promise<ForkAtCheckpoint> {
    const { reader, checkpoints, library, uuid, channels = {} } = this.#options;
    const original = await reader.get(instance);
    const { run, definition: ref } = await checkpoints.read(instance, checkpoint);
    const definition = await library.load(ref);
    const { id = uuid(), contact: address = run.address, channel = run.channel } = given;
    const contact =
      given.contact === undefined
        ? original.contact
        : requireContact({ contact: address, channel }, channels);
    requireId(id);
    const flow = renamed(run.flow, id, library.identityOf(definition));
    const order = {
      id,
      channel,
      input: { ...run.input, id },
      address,
      ...(contact === undefined ? {} : { contact }),
      ...(given.contact === undefined && { lifecycleInput: contactInput(original.lifecycle) }),
      copy: { of: { instance, checkpoint }, flow },
    };
    return { definition, order };
  }
}
