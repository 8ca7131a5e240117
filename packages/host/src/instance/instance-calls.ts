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
  /** When a failed call is retried, milliseconds since 1970 UTC. Until then it waits. */
  readonly repeatAt?: number;
}

/** A call that a child instance of a definition answers. */
export type DefinitionCall = InstanceCall & { readonly definition: string };

/** Decides who answers a call. */
export interface CallRouting {
  /** Whether the host answers a port itself, from a timer or a decision. All other ports are called. */
  readonly isWaitedFor: (port: PortName) => boolean;
  /** The definition that answers a call to an agent, as a child instance; undefined when an agent answers. */
  readonly definitionOf: (agent: string) => string | undefined;
}

type Calls = ReadonlyMap<string, InstanceCall>;

interface SortedCalls {
  /** Calls that the host has to make. */
  readonly toMake: Calls;
  /** Calls that wait for a timer, a decision, or a child. */
  readonly waits: Calls;
}

/** The open calls of an instance's machines, by their letters, in the order in which they were made. */
export class InstanceCalls {
  readonly #open: () => Iterable<Omit<InstanceCall, 'letter'>>;
  readonly #routing: CallRouting;
  readonly #waitsUntil: (letter: string) => number | undefined;

  /**
   * @param open returns the open calls of the machines
   * @param waitsUntil returns when a failed call is retried
   */
  constructor(
    open: () => Iterable<Omit<InstanceCall, 'letter'>>,
    routing: CallRouting,
    waitsUntil: (letter: string) => number | undefined,
  ) {
    this.#waitsUntil = waitsUntil;
    this.#open = open;
    this.#routing = routing;
  }

  /** Calls that the host has to make. */
  toMake(): Calls {
    return this.sorted().toMake;
  }

  /** Calls that wait for a timer, a decision, or a child. */
  waits(): Calls {
    return this.sorted().waits;
  }

  /** Both kinds of calls, in one pass. */
  sorted(): SortedCalls {
    const [toMake, waits] = [new Map<string, InstanceCall>(), new Map<string, InstanceCall>()];
    for (const { source, call } of this.#open()) {
      const letter = callLetter(source, call.key);
      const repeatAt = this.#waitsUntil(letter);
      if (repeatAt !== undefined) waits.set(letter, { letter, source, call, repeatAt });
      else (this.isWaitedFor(call) ? waits : toMake).set(letter, { letter, source, call });
    }
    return { toMake, waits };
  }

  get(letter: string): InstanceCall | undefined {
    for (const { source, call } of this.#open())
      if (letter.endsWith(call.key) && letter === callLetter(source, call.key))
        return { letter, source, call };
    return undefined;
  }

  /** The letters of the calls that count against limits and budgets. */
  thatSpend(): ReadonlySet<string> {
    const letters = new Set<string>();
    for (const { source, call } of this.#open())
      if (isMetered(call.port)) letters.add(callLetter(source, call.key));
    return letters;
  }

  /** Calls that ask a person for a decision. */
  questions(waits = this.waits()): readonly OpenCall[] {
    const found: OpenCall[] = [];
    for (const { call } of waits.values()) if (call.port === 'requestDecision') found.push(call);
    return found;
  }

  ofDefinitions(waits: Calls): ReadonlyMap<string, DefinitionCall> {
    const found = new Map<string, DefinitionCall>();
    for (const [letter, each] of waits) {
      if (each.repeatAt !== undefined) continue;
      const definition = this.#definitionOf(each.call);
      if (definition !== undefined) found.set(letter, { ...each, definition });
    }
    return found;
  }

  /** Whether the host or a child answers a call, rather than a port. */
  isWaitedFor(call: OpenCall): boolean {
    return this.#routing.isWaitedFor(call.port) || this.#definitionOf(call) !== undefined;
  }

  #definitionOf({ port, input }: OpenCall): string | undefined {
    if (port !== 'runAgent') return undefined;
    return this.#routing.definitionOf(optionalText((input as JsonObject)['agent']));
  }
}

/** The timers among calls that wait. */
export function timersIn(waits: Calls): Timer[] {
  const timers: Timer[] = [];
  for (const [key, { call, repeatAt }] of waits) {
    if (repeatAt !== undefined) timers.push({ key, at: repeatAt });
    else if (call.port === 'timer')
      timers.push({ key, at: Number((call.input as JsonObject)['at']) });
  }
  return timers;
}
