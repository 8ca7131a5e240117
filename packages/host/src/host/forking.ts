import type { Behaviour, Json, JsonObject } from '@dramaturg/compiler';
import type { LoadedDefinition, Library } from '../definitions/library.ts';
import { forked } from '../history/fork.ts';
import type { InstanceHistory } from '../history/history.ts';
import type { HostEvent } from '../instance/event.ts';
import type { Surroundings } from '../instance/surroundings.ts';
import type { Birth } from '../instance/state.ts';
import type { DefinitionVersion } from '../store/contract.ts';
import { renamed } from '../xstate/renamed.ts';
import type { Checkpoints } from './checkpoints.ts';
import type { InstanceReader } from './instance-reader.ts';
import type { AtCheckpoint, AtStep } from './options.ts';
import { requireId } from './request.ts';

export interface ForkingOptions {
  readonly reader: InstanceReader;
  readonly behaviours: ReadonlyMap<string, Behaviour>;
  readonly checkpoints: Checkpoints;
  readonly library: Library;
  readonly surroundings: Surroundings;
}

/** An instance as it was after one of its steps, under an id of its own. */
export interface ForkAtStep {
  readonly copy: InstanceHistory;
  readonly definition: DefinitionVersion;
  /** The event that records the fork. */
  readonly forked: HostEvent;
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

/** Prepares instances that begin as copies of another one, at a step or a save point. The other one is only read. */
export class Forking {
  readonly #options: ForkingOptions;

  constructor(options: ForkingOptions) {
    this.#options = options;
  }

  async atStep(id: string, { step, id: fork = crypto.randomUUID() }: AtStep): Promise<ForkAtStep> {
    requireId(fork);
    const { reader, behaviours, surroundings } = this.#options;
    const charts = await reader.charts(id);
    const journal = await this.#wholeJournal(id);
    const isDefinition = (agent: string) => surroundings.definitionOf(agent) !== undefined;
    const copy = await forked({ id, fork, step, charts, journal, behaviours, isDefinition });
    const event = { type: 'instance.forked', from: id, step };
    const forkedEvent: HostEvent = {
      instance: fork,
      at: surroundings.world.now(),
      source: 'host',
      event,
    };
    return { copy, definition: (charts.flow ?? charts.lifecycle).ref, forked: forkedEvent };
  }

  async atCheckpoint(
    instance: string,
    { checkpoint, ...given }: AtCheckpoint,
  ): Promise<ForkAtCheckpoint> {
    const { reader, checkpoints, library } = this.#options;
    await reader.get(instance);
    const { run, definition: ref } = await checkpoints.read(instance, checkpoint);
    const definition = await library.load(ref);
    const { id = crypto.randomUUID(), contact = run.address, channel = run.channel } = given;
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

  async #wholeJournal(id: string): Promise<readonly Json[]> {
    const lines: Json[] = [];
    for (;;) {
      const more = await this.#options.reader.journal(id, { from: lines.length, limit: 10_000 });
      lines.push(...more);
      if (more.length < 10_000) return lines;
    }
  }
}
