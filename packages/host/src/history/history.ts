import {
  type Chart,
  type EventObject,
  isRecord,
  type Json,
  type JsonObject,
  type PortName,
} from '@dramaturg/compiler';
import { nextTurn, realWorld } from '@dramaturg/compiler/machine';
import type { Behaviours } from '../definitions/behaviours.ts';
import type { LoadedDefinition } from '../definitions/library.ts';
import { HostError } from '../errors.ts';
import type { Charts, StoredChart } from '../host/instance-reader.ts';
import type { InstanceView } from '../host/view.ts';
import { isLaterEvent } from '../instance/call-events.ts';
import { hasMessage, type HostEvent, journalLine } from '../instance/event.ts';
import type { InstanceCall } from '../instance/instance-calls.ts';
import { isEqual } from '../instance/json-equal.ts';
import { messageLetter } from '../instance/letter.ts';
import { LiveInstance } from '../instance/live-instance.ts';
import { optionalText } from '../instance/read.ts';
import type { Birth, InstanceState } from '../instance/state.ts';
import { type StepInput, stepInputIn, withoutSteps } from '../instance/step-input.ts';
import type { StepResult } from '../instance/step-result.ts';
import { type Step, StepWorld } from '../instance/step-world.ts';
import type { LoadedDefinitions } from '../instance/surroundings.ts';
import { migrating, undoing } from '../migration/flow-change.ts';
import { FlowMigration } from '../migration/flow-migration.ts';
import { type RecordedError, toPortError } from '../recording/recorded-error.ts';
import type { DefinitionVersion, NewLines } from '../store/contract.ts';
import { durable, type Inspect } from '../xstate/machine-actor.ts';
import { contextIn, stateValueIn } from '../xstate/persisted-snapshot.ts';
import { isSameVersion } from '../definitions/definition.ts';

export interface HistoryOptions {
  /** The id of the instance. */
  readonly id: string;
  readonly charts: Charts;
  /** Reads the charts again: an instance that runs may be migrated after they were read. */
  readonly rereadCharts?: () => Promise<Charts>;
  /** The code behind the names in charts, by the name of their format. */
  readonly behaviours: Behaviours;
  /** Observes the actors while steps are repeated. */
  readonly inspect?: Inspect;
  /** Called before each step is repeated. */
  readonly onStep?: (step: PastStep) => void;
  /** Receives the lines that each repeated step would store. They are not kept. */
  readonly onLines?: (lines: Required<NewLines>) => void;
  /** Changes the recorded birth of the instance. Departures are then not reported. */
  readonly reborn?: (birth: Birth) => Birth;
}

/** A step of an instance, as its journal has it. */
export interface PastStep {
  /** 1 for the first, with which the instance was started. */
  readonly number: number;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  readonly input: StepInput;
}

export type PastView = Pick<InstanceView, 'state' | 'ended' | 'lifecycle' | 'flow' | 'timers'>;

/**
 * How many steps are repeated in one turn of the event loop. Counted, not timed, so that every run is the same. A step takes
 * about 0.1 ms.
 */
const stepsPerSlice = 8;

/** A difference between a repeated step and its record. */
export interface Departure {
  readonly step: number;
  /** A sentence for people. */
  readonly because: string;
}

/**
 * Repeats the steps of a stored instance from its journal. Nothing is called, sent or stored: the answers of ports, the times and
 * the random values come from the journal. Each result is compared with the recorded one, so that a release that would decide
 * differently is detected at that step.
 */
export class InstanceHistory {
  readonly #options: HistoryOptions;
  readonly #world = new RecordedWorld();
  readonly #versions: FlowVersions;
  readonly #definitions: LoadedDefinitions;
  #instance: LiveInstance | undefined;
  #number = 0;
  #expected: Json[] = [];
  readonly #departures: Departure[] = [];

  constructor(options: HistoryOptions) {
    this.#options = options;
    const { charts, rereadCharts } = options;
    const link = (stored: StoredChart) => this.#linked(stored);
    this.#versions = new FlowVersions({ charts, rereadCharts, link });
    const { lifecycle } = charts;
    const flow = this.#versions.first;
    this.#definitions = {
      lifecycle: this.#linked(lifecycle),
      ...(flow ? { flow: this.#linked(flow) } : {}),
    };
  }

  /** How many steps were repeated. */
  get steps(): number {
    return this.#number;
  }

  get departures(): readonly Departure[] {
    return this.#departures;
  }

  /** The instance after the last step. */
  get instance(): LiveInstance {
    if (!this.#instance) throw withoutSteps(this.#options.id);
    return this.#instance;
  }

  get state(): InstanceState {
    return this.instance.state;
  }

  /** The instance after the last step, in its stored form. */
  view(): PastView {
    const { status: state, ended } = this.instance;
    const { lifecycle, flow } = this.state;
    const timers = [...openCalls(this.instance)]
      .filter(([, { call }]) => call.port === 'timer')
      .map(([key, { call }]) => ({ key, at: Number(Object(call.input).at) }));
    return {
      state,
      ended,
      lifecycle: contextIn(lifecycle.snapshot) as PastView['lifecycle'],
      flow: stateValueIn(flow),
      timers,
    };
  }

  /**
   * Repeats the steps of more lines of the journal, in order. The event loop gets a turn after every few steps.
   *
   * @param upTo the last step to repeat
   * @throws HostError when the journal does not have the inputs of steps
   */
  async take(lines: readonly Json[], upTo = Infinity): Promise<void> {
    for (const line of lines) {
      const found = stepInputIn(line);
      if (!found) {
        this.#compare(line);
        continue;
      }
      if (this.#number >= upTo) return;
      if (!this.#instance && found.input.type !== 'instance.started')
        throw withoutSteps(this.#options.id);
      if (this.#number % stepsPerSlice === 0) await nextTurn();
      this.#number += 1;
      if (!this.#expected.every(isLaterLine))
        this.#depart('the step now gives more lines than were recorded');
      this.#world.recall(found.step);
      this.#options.onStep?.({ number: this.#number, at: found.step.at, input: found.input });
      const result = await this.#step(found.input);
      this.#expected = result.events.map(expectedLine);
      this.instance.takeChange();
      const { journal = [], transcript = [] } = result.lines ?? {};
      this.#options.onLines?.({ journal, transcript });
      this.#keepWaitingMessages();
      if (this.#world.isExhausted) this.#depart('more is drawn by chance than was recorded');
    }
  }

  /** Forgets lines of the transcript, except messages that a later turn reads. */
  #keepWaitingMessages(): void {
    const { inbox } = this.state;
    this.instance.noteStored(inbox.count > 0 ? inbox.from : undefined);
  }

  async #step(input: StepInput): Promise<StepResult> {
    if (input.type === 'instance.started') {
      const { reborn = (birth) => birth } = this.#options;
      const surroundings = { world: this.#world, ...noRouting };
      const begun = await LiveInstance.begin(reborn(input.birth), this.#definitions, surroundings);
      this.#instance = begun.instance;
      return begun.result;
    }
    const { instance } = this;
    switch (input.type) {
      case 'event.taken':
        return instance.decideEvent(input.event);
      case 'call.answered':
        return this.#decideCall(input, { output: input.output });
      case 'call.failed':
        return this.#decideCall(input, { thrown: input.error });
      case 'call.repeated':
        return instance.decideRepeat(input.call);
      case 'use.counted':
        return instance.decideUse(input.port, input.key, input.use);
      case 'items.continued':
        return instance.decideMore(input.refusal);
      case 'definition.migrated':
        return this.#migrate(input);
      case 'migration.undone':
        return instance.decideFlow(undoing(await this.#versions.of(this.#replaced())));
      case 'message.taken':
        return instance.decideDelivered(input.letter);
      case 'message.refused':
        return instance.decideRejected(input.letter, input.because);
      case 'delivery.reported':
        return instance.decideReported(input.report);
    }
  }

  /** The version before a migration. */
  #replaced(): DefinitionVersion {
    return this.state.replaced?.definition ?? this.instance.definition;
  }

  async #migrate({ to, map }: StepInput & { type: 'definition.migrated' }): Promise<StepResult> {
    const version = await this.#versions.of(to);
    const { chart, machine } = version;
    const behaviour = this.#options.behaviours.get(chart.format)!;
    return this.instance.decideFlow(
      migrating(
        version,
        map,
        (from) => new FlowMigration(from.chart, chart, behaviour, machine, map),
      ),
    );
  }

  #decideCall(
    { call, use }: StepInput & { readonly type: 'call.answered' | 'call.failed' },
    ending: { readonly output: unknown } | { readonly thrown: RecordedError },
  ): Promise<StepResult> {
    const { instance } = this;
    const open = openCalls(instance).get(call);
    if (!open) this.#depart(`nothing waits for ${JSON.stringify(call)} now`);
    if ('output' in ending || !open)
      return instance.decideCall(call, { output: undefined, ...ending }, use);
    return instance.decideCall(call, { error: toPortError(open.call.port, ending.thrown) }, use);
  }

  /** Compares a later line of a step: an event of the last step, or an event of the host between steps. */
  #compare(line: Json): void {
    this.#skipLaterEvents(line);
    const expected = this.#expected.shift();
    if (expected !== undefined) {
      if (!isEqual(expected, withoutMessage(line))) {
        this.#depart(`${typeIn(line)} was recorded, but the step now gives ${typeIn(expected)}`);
        this.#expected = [];
      }
      return;
    }
    const { source, event } = isRecord(line) ? line : {};
    if (!this.#instance) throw withoutSteps(this.#options.id);
    if (source === 'host' && isRecord(event)) {
      if (event['type'] === 'message.delivered')
        this.#instance.acknowledged(messageLetter(optionalText(event['id'])));
    } else this.#depart(`${typeIn(line)} was recorded, but the step no longer gives it`);
  }

  /** Earlier releases did not record the events of calls and the ends of turns. */
  #skipLaterEvents(line: Json): void {
    if (isLaterLine(line)) return;
    while (this.#expected.length > 0 && isLaterLine(this.#expected[0]!)) this.#expected.shift();
  }

  /** Reports the first departure of a step only: the others follow from it. */
  #depart(because: string): void {
    if (this.#departures.at(-1)?.step === this.#number || this.#options.reborn) return;
    this.#departures.push({ step: this.#number, because: `${because}.` });
  }

  #linked({ ref, chart }: Charts['lifecycle']): LoadedDefinition {
    const behaviour = this.#options.behaviours.get(chart.format);
    if (!behaviour) throw unknownFormat(chart);
    const { inspect } = this.#options;
    return { ref, chart, machine: durable(chart, behaviour, { world: this.#world, inspect }) };
  }
}

/** Nothing is called, so the routing of calls has no effect. */
const noRouting = {
  isWaitedFor: (port: PortName) => port === 'timer' || port === 'requestDecision',
  definitionOf: () => undefined,
  hasChannel: () => true,
  // Lines that are needed again stay in memory.
  readTranscript: async () => [],
  // Refused messages are not in the journal.
  inboxLimits: { messages: Infinity, size: Infinity },
};

/** All open calls, by letter, in the order in which they were made. */
export function openCalls(instance: LiveInstance): ReadonlyMap<string, InstanceCall> {
  return new Map([...instance.waits(), ...instance.calls()]);
}

/** The journal line of an event, as a store returns it. */
function expectedLine(event: HostEvent): Json {
  return JSON.parse(JSON.stringify(withoutMessage(journalLine(event)))) as Json;
}

function isLaterLine(line: Json): boolean {
  const { source, event } = isRecord(line) ? line : {};
  return source === 'host' && isRecord(event) && isLaterEvent(event as EventObject & JsonObject);
}

/** Removes the text of a message: releases differ in which texts they write to the journal. */
function withoutMessage(line: Json): Json {
  const event = isRecord(line) ? (line['event'] as JsonObject & EventObject) : undefined;
  if (!isRecord(event) || !hasMessage(event)) return line;
  const { text: _, ...rest } = event;
  return { ...(line as JsonObject), event: rest };
}

function typeIn(line: Json): string {
  const { source, event } = isRecord(line) ? line : {};
  return `"${optionalText(isRecord(event) ? event['type'] : undefined)}" of the ${optionalText(source)}`;
}

function unknownFormat({ format }: Chart): HostError {
  return new HostError(
    'host/unknown-definition',
    `There is no code for charts of the format ${JSON.stringify(format)}.`,
  );
}

/** The time and the random values of the steps in a journal. */
class RecordedWorld extends StepWorld {
  #at = 0;
  #rest: (number | string)[] = [];
  #isExhausted = false;

  constructor() {
    super(realWorld);
  }

  /** Makes a recorded step the next one. */
  recall({ at, drawn }: Step): void {
    this.#at = at;
    this.#rest = [...drawn];
    this.#isExhausted = false;
  }

  /** Whether the last step has drawn more values than were recorded. */
  get isExhausted(): boolean {
    return this.#isExhausted;
  }

  override step(): Step {
    return { at: this.#at, drawn: [] };
  }

  protected override drawIn<Drawn extends number | string>(step: Step, make: () => Drawn): Drawn {
    this.#isExhausted ||= this.#rest.length === 0;
    const drawn = (this.#rest.shift() as Drawn | undefined) ?? make();
    step.drawn.push(drawn);
    return drawn;
  }
}

interface FlowVersionsOptions {
  readonly charts: Charts;
  /** Reads the charts again: an instance that runs may be migrated after they were read. */
  readonly rereadCharts: (() => Promise<Charts>) | undefined;
  readonly link: (stored: StoredChart) => LoadedDefinition;
}

/** The versions of the flow that an instance has run, each linked once. */
class FlowVersions {
  readonly #options: FlowVersionsOptions;
  readonly #linked = new Map<string, LoadedDefinition>();

  constructor(options: FlowVersionsOptions) {
    this.#options = options;
  }

  /** The version that the instance began with; undefined without a flow. */
  get first(): StoredChart | undefined {
    return versionsIn(this.#options.charts)[0];
  }

  /** @throws HostError `host/unknown-definition` */
  async of(ref: DefinitionVersion): Promise<LoadedDefinition> {
    const known = this.#linked.get(ref.version);
    if (known) return known;
    const { charts, rereadCharts, link } = this.#options;
    const isMeant = (each: StoredChart) => isSameVersion(each.ref, ref);
    const stored =
      versionsIn(charts).find(isMeant) ??
      (rereadCharts && versionsIn(await rereadCharts()).find(isMeant));
    if (!stored)
      throw new HostError(
        'host/unknown-definition',
        `The version ${ref.version} of ${JSON.stringify(ref.name)} is not among the charts of the instance.`,
      );
    const linked = link(stored);
    this.#linked.set(ref.version, linked);
    return linked;
  }
}

function versionsIn({ flow, versions = [] }: Charts): readonly StoredChart[] {
  return [...versions, ...(flow ? [flow] : [])];
}
