import type { JsonObject, PortName } from '@dramaturg/compiler';
import { usesUp } from '../limits/index.ts';
import type { Timer } from '../store/contract.ts';
import type { OpenCall } from '../xstate/open-call.ts';
import type { Source } from './event.ts';
import { callLetter } from './letter.ts';
import { textOf } from './read.ts';

/** A call that waits for its answer. */
export interface InstanceCall {
  readonly letter: string;
  readonly source: Source;
  readonly call: OpenCall;
}

/** A call that a definition answers. */
export type DefinitionCall = InstanceCall & { readonly definition: string };

/** Who answers calls. */
export interface Answerers {
  /** Ports that the host answers itself, from a timer or a decision; all others are called. */
  readonly isWaitedFor: (port: PortName) => boolean;
  /** The definition that answers a call of an agent, as an instance of its own; undefined when an agent does. */
  readonly definitionOf: (agent: string) => string | undefined;
}

type Calls = ReadonlyMap<string, InstanceCall>;

/** The calls that the machines of an instance have open, by their letters, in the order in which they were made. */
export class InstanceCalls {
  readonly #open: () => Iterable<Omit<InstanceCall, 'letter'>>;
  readonly #answerers: Answerers;

  /** @param open what the machines have open now */
  constructor(open: () => Iterable<Omit<InstanceCall, 'letter'>>, answerers: Answerers) {
    this.#open = open;
    this.#answerers = answerers;
  }

  /** Those that the host has to make. */
  toMake(): Calls {
    return this.#those((call) => !this.#isWaitedFor(call));
  }

  /** Those that wait for somebody or something: timers, decisions, and definitions that run as agents. */
  waits(): Calls {
    return this.#those((call) => this.#isWaitedFor(call));
  }

  get(letter: string): InstanceCall | undefined {
    return this.#those(() => true).get(letter);
  }

  /** The letters of those that use something up, whoever answers them. */
  thatSpend(): ReadonlySet<string> {
    return new Set(this.#those(({ port }) => usesUp(port)).keys());
  }

  /** What people are asked. */
  questions(): readonly OpenCall[] {
    return Array.from(this.waits().values(), ({ call }) => call).filter(
      ({ port }) => port === 'requestDecision',
    );
  }

  timers(): Timer[] {
    return [...this.waits()]
      .filter(([, { call }]) => call.port === 'timer')
      .map(([key, { call }]) => ({ key, at: Number((call.input as JsonObject)['at']) }));
  }

  ofDefinitions(): ReadonlyMap<string, DefinitionCall> {
    const found = new Map<string, DefinitionCall>();
    for (const [letter, each] of this.waits()) {
      const definition = this.#definitionOf(each.call);
      if (definition !== undefined) found.set(letter, { ...each, definition });
    }
    return found;
  }

  #isWaitedFor(call: OpenCall): boolean {
    return this.#answerers.isWaitedFor(call.port) || this.#definitionOf(call) !== undefined;
  }

  #definitionOf({ port, input }: OpenCall): string | undefined {
    if (port !== 'runAgent') return undefined;
    return this.#answerers.definitionOf(textOf((input as JsonObject)['agent']));
  }

  #those(areMeant: (call: OpenCall) => boolean): Calls {
    const found = new Map<string, InstanceCall>();
    for (const { source, call } of this.#open()) {
      const letter = callLetter(source, call.key);
      if (areMeant(call)) found.set(letter, { letter, source, call });
    }
    return found;
  }
}
