import type { JsonObject, PortName } from '@dramaturg/compiler';
import { isMetered } from '../limits/index.ts';
import type { Timer } from '../store/contract.ts';
import type { OpenCall } from '../xstate/open-call.ts';
import type { Source } from './event.ts';
import { callLetter } from './letter.ts';
import { optionalText } from './read.ts';

/** A call that waits for its answer. */
export interface InstanceCall {
  readonly letter: string;
  readonly source: Source;
  readonly call: OpenCall;
}

/** A call that a child instance of a definition answers. */
export type DefinitionCall = InstanceCall & { readonly definition: string };

/** Who answers which calls. */
export interface CallRouting {
  /** Whether the host answers a port itself, from a timer or a decision. All other ports are called. */
  readonly isWaitedFor: (port: PortName) => boolean;
  /** The definition that answers a call to an agent, as a child instance; undefined when an agent answers. */
  readonly definitionOf: (agent: string) => string | undefined;
}

type Calls = ReadonlyMap<string, InstanceCall>;

/** The open calls of an instance's machines, by their letters, in the order in which they were made. */
export class InstanceCalls {
  readonly #open: () => Iterable<Omit<InstanceCall, 'letter'>>;
  readonly #routing: CallRouting;

  /** @param open returns the open calls of the machines */
  constructor(open: () => Iterable<Omit<InstanceCall, 'letter'>>, routing: CallRouting) {
    this.#open = open;
    this.#routing = routing;
  }

  /** Calls that the host has to make. */
  toMake(): Calls {
    return this.#select((call) => !this.#isWaitedFor(call));
  }

  /** Calls that wait for a timer, a decision, or a child. */
  waits(): Calls {
    return this.#select((call) => this.#isWaitedFor(call));
  }

  get(letter: string): InstanceCall | undefined {
    for (const { source, call } of this.#open())
      if (letter.endsWith(call.key) && letter === callLetter(source, call.key))
        return { letter, source, call };
    return undefined;
  }

  /** The letters of the calls that count against limits and budgets. */
  thatSpend(): ReadonlySet<string> {
    return new Set(this.#select(({ port }) => isMetered(port)).keys());
  }

  /** Calls that ask a person for a decision. */
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
    return this.#routing.isWaitedFor(call.port) || this.#definitionOf(call) !== undefined;
  }

  #definitionOf({ port, input }: OpenCall): string | undefined {
    if (port !== 'runAgent') return undefined;
    return this.#routing.definitionOf(optionalText((input as JsonObject)['agent']));
  }

  #select(matches: (call: OpenCall) => boolean): Calls {
    const found = new Map<string, InstanceCall>();
    for (const { source, call } of this.#open()) {
      const letter = callLetter(source, call.key);
      if (matches(call)) found.set(letter, { letter, source, call });
    }
    return found;
  }
}
