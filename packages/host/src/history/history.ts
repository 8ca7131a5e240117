import {
  type Behaviour,
  type Chart,
  isRecord,
  type Json,
  link,
  type PortName,
} from '@dramaturg/compiler';
import type { LoadedDefinition } from '../definitions/library.ts';
import { HostError } from '../errors.ts';
import { type HostEvent, journalLine, type TranscriptLine } from '../instance/event.ts';
import type { InstanceCall } from '../instance/instance-calls.ts';
import { messageLetter } from '../instance/letter.ts';
import { type Decided, type LoadedDefinitions, LiveInstance } from '../instance/live-instance.ts';
import { textOf } from '../instance/read.ts';
import type { Birth, InstanceState } from '../instance/state.ts';
import { type Taken, takenIn, withoutSteps } from '../instance/taken.ts';
import type { Charts } from '../host/instance-reader.ts';
import { fieldOf, type InstanceView } from '../host/view.ts';
import { durable, type Inspect } from '../xstate/machine-actor.ts';
import { errorOf, type Thrown } from '../recording/failure.ts';
import { RecordedWorld } from './recorded-world.ts';

export interface HistoryOptions {
  /** The id of the instance. */
  readonly id: string;
  readonly charts: Charts;
  /** The code behind the names in charts, by the name of their format. */
  readonly behaviours: ReadonlyMap<string, Behaviour>;
  /** Looks on while steps are taken. */
  readonly inspect?: Inspect;
  /** Called before each step is taken. */
  readonly onStep?: (step: PastStep) => void;
  /** What the instance is given to begin with, where it is not what was recorded. */
  readonly reborn?: (birth: Birth) => Birth;
}

/** A step of an instance, as its journal has it. */
export interface PastStep {
  /** 1 for the first, with which the instance was started. */
  readonly number: number;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  readonly taken: Taken;
}

export type PastView = Pick<InstanceView, 'state' | 'ended' | 'lifecycle' | 'flow' | 'timers'>;

/** Something that came out otherwise than it was recorded. */
export interface Departure {
  readonly step: number;
  /** A sentence for people. */
  readonly because: string;
}

/**
 * Takes the steps of a stored instance again, from its journal. Nothing is asked, sent or stored: what ports have answered is
 * in the journal, and so is what the clock said and what chance has drawn. What each step comes to is compared with what was
 * recorded then, so that a release that would decide otherwise is noticed at the step where it does.
 */
export class InstanceHistory {
  readonly #options: HistoryOptions;
  readonly #world = new RecordedWorld();
  readonly #definitions: LoadedDefinitions;
  #instance: LiveInstance | undefined;
  #number = 0;
  #expected: Json[] = [];
  readonly #departures: Departure[] = [];
  readonly #transcript: TranscriptLine[] = [];
  /** The lines of all steps so far, as they would be recorded. */
  readonly #journal: Json[] = [];

  constructor(options: HistoryOptions) {
    this.#options = options;
    const { lifecycle, flow } = options.charts;
    this.#definitions = {
      lifecycle: this.#linked(lifecycle),
      ...(flow ? { flow: this.#linked(flow) } : {}),
    };
  }

  /** How many steps have been taken. */
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

  /** The instance after the last step, as it would be in the store. */
  view(): PastView {
    const { status: state, ended } = this.instance;
    const { lifecycle, flow } = this.state;
    const timers = [...openCalls(this.instance)]
      .filter(([, { call }]) => call.port === 'timer')
      .map(([key, { call }]) => ({ key, at: Number(Object(call.input).at) }));
    return {
      state,
      ended,
      lifecycle: fieldOf(lifecycle.snapshot, 'context') as PastView['lifecycle'],
      flow: fieldOf(flow ?? null, 'value'),
      timers,
    };
  }

  get transcript(): readonly TranscriptLine[] {
    return this.#transcript;
  }

  get journal(): readonly Json[] {
    return this.#journal;
  }

  /**
   * Takes the steps of more lines of the journal, in order.
   *
   * @param upTo the last step to take
   * @throws HostError when the journal does not say what steps took
   */
  async take(lines: readonly Json[], upTo = Infinity): Promise<void> {
    for (const line of lines) {
      const found = takenIn(line);
      if (!found) {
        this.#compare(line);
        continue;
      }
      if (this.#number >= upTo) return;
      if (!this.#instance && found.taken.type !== 'instance.started')
        throw withoutSteps(this.#options.id);
      this.#number += 1;
      if (this.#expected.length > 0) this.#depart('less was recorded than comes of it now');
      this.#world.recall(found.step);
      this.#options.onStep?.({ number: this.#number, at: found.step.at, taken: found.taken });
      const decided = await this.#step(found.taken);
      this.#expected = decided.events.map(expectedLine);
      this.#transcript.push(...((decided.change?.transcript ?? []) as TranscriptLine[]));
      this.#journal.push(...(decided.change?.journal ?? []));
      if (this.#world.isExhausted) this.#depart('more is drawn by chance than was recorded');
    }
  }

  async #step(taken: Taken): Promise<Decided> {
    if (taken.type === 'instance.started') {
      const { reborn = (birth) => birth } = this.#options;
      const surroundings = { world: this.#world, ...nobody };
      const begun = await LiveInstance.begin(reborn(taken.birth), this.#definitions, surroundings);
      this.#instance = begun.instance;
      return begun.decided;
    }
    const { instance } = this;
    switch (taken.type) {
      case 'event.taken':
        return instance.send(taken.event);
      case 'call.answered':
        return this.#settle(taken, { output: taken.output });
      case 'call.failed':
        return this.#settle(taken, { thrown: taken.error });
      case 'message.taken':
        return instance.sent(taken.letter);
      case 'message.refused':
        return instance.notSent(taken.letter, taken.because);
    }
  }

  #settle(
    { call, use }: Taken & { readonly type: 'call.answered' | 'call.failed' },
    ending: { readonly output: unknown } | { readonly thrown: Thrown },
  ): Promise<Decided> {
    const { instance } = this;
    const open = openCalls(instance).get(call);
    if (!open) this.#depart(`nothing waits for ${JSON.stringify(call)} now`);
    if ('output' in ending || !open)
      return instance.settle(call, { output: undefined, ...ending }, use);
    return instance.settle(call, { error: errorOf(open.call.port, ending.thrown) }, use);
  }

  /** A line that is no step's: what the last step has come to, or what the host has to say beside the steps. */
  #compare(line: Json): void {
    const expected = this.#expected.shift();
    if (expected !== undefined) {
      if (!isEqual(expected, line)) {
        this.#depart(`${typeIn(line)} was recorded, and ${typeIn(expected)} comes of it now`);
        this.#expected = [];
      }
      return;
    }
    const { source, event } = isRecord(line) ? line : {};
    if (!this.#instance) throw withoutSteps(this.#options.id);
    if (source === 'host' && isRecord(event)) {
      if (event['type'] === 'message.delivered')
        this.#instance.acknowledged(messageLetter(textOf(event['id'])));
    } else this.#depart(`${typeIn(line)} was recorded, and does not come of it now`);
  }

  /** Of one step the first departure is told: the others follow from it. */
  #depart(because: string): void {
    if (this.#departures.at(-1)?.step === this.#number || this.#options.reborn) return;
    this.#departures.push({ step: this.#number, because: `${because}.` });
  }

  #linked({ ref, chart }: Charts['lifecycle']): LoadedDefinition {
    const behaviour = this.#options.behaviours.get(chart.format);
    if (!behaviour) throw unknownFormat(chart);
    // Each state is a step of its own for whoever looks on.
    const linked = link(chart, behaviour, { world: this.#world, fuse: false });
    return { ref, chart, machine: durable(linked, this.#options.inspect) };
  }
}

/** Nothing is called, so that it makes no difference who would answer; decisions are taken by the instance itself. */
const nobody = {
  isWaitedFor: (port: PortName) => port === 'timer' || port === 'requestDecision',
  definitionOf: () => undefined,
  hasChannel: () => true,
};

/** Everything that waits for an answer, by the letter of the call, in the order in which it was asked. */
export function openCalls(instance: LiveInstance): ReadonlyMap<string, InstanceCall> {
  return new Map([...instance.waits(), ...instance.calls()]);
}

/** As a store has it. */
function expectedLine(event: HostEvent): Json {
  return JSON.parse(JSON.stringify(journalLine(event))) as Json;
}

function isEqual(one: Json, other: Json): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every(
      (key) =>
        Object.hasOwn(other, key) &&
        isEqual(one[key as never] as Json, other[key as never] as Json),
    )
  );
}

function typeIn(line: Json): string {
  const { source, event } = isRecord(line) ? line : {};
  return `"${textOf(isRecord(event) ? event['type'] : undefined)}" of the ${textOf(source)}`;
}

function unknownFormat({ format }: Chart): HostError {
  return new HostError(
    'host/unknown-definition',
    `There is no code for charts of the format ${JSON.stringify(format)}.`,
  );
}
