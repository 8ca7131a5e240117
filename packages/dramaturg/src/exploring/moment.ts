import type { JsonObject, PortName } from '@dramaturg/compiler';
import type { HostEvent, TranscriptLine } from '@dramaturg/host';
import type { InstanceState } from '@dramaturg/host/engine';

/** The id of the explored instance. Its children have ids of their own. */
export const explored = 'test';

/** The inputs that an instance begins with. */
export interface Beginning {
  readonly input: JsonObject;
  readonly lifecycleInput?: JsonObject;
  readonly contact?: string;
}

/** A call that waits for its answer at a moment. */
export interface WaitingCall {
  readonly letter: string;
  readonly port: PortName;
  readonly input: JsonObject;
  /** The machine that makes the call. */
  readonly source: string;
  /** The id of the instance that makes the call. */
  readonly instance: string;
  /** The definition of a child that makes the call. */
  readonly child?: string;
  /** When it is repeated after a failure, in milliseconds since 1970 UTC. */
  readonly repeatAt?: number;
}

/** An instance as it is stored. */
export interface Stored {
  readonly status: string;
  readonly ended: boolean;
  readonly state: InstanceState;
  readonly transcript: readonly TranscriptLine[];
}

/** An instance that runs as an agent of the explored one, or of a child of it. */
export interface Child extends Stored {
  readonly id: string;
  /** The name of its definition. */
  readonly definition: string;
}

/** An instance with its children at a moment. It never changes, so that several inputs can be tried from it. */
export interface Moment extends Stored {
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  /** In the order in which they were started, also those that have ended. */
  readonly children: readonly Child[];
  /** Calls of all instances that a port has to answer, in the order in which they were made. */
  readonly calls: readonly WaitingCall[];
  /** Calls of all instances that wait for a time or a decision. */
  readonly waits: readonly WaitingCall[];
  /** The events of the step that has led here, of all instances. */
  readonly events: readonly HostEvent[];
  /** Whether children were not started, because there are too many. */
  readonly isCut?: true;
  /** Why the step was refused. */
  readonly refused?: string;
  /** The last answer of a port, as a test file has it. */
  readonly answered?: JsonObject;
  /** How many values were drawn so far: random values are a function of it. */
  readonly drawn: number;
}

/** The waits that may lead to another state. That of a contact for the reply of a running turn does not. */
export function leadingWaits(moment: Moment): readonly WaitingCall[] {
  const members = [{ ...moment, id: explored }, ...moment.children];
  const isTurning = (id: string) => Boolean(members.find((each) => each.id === id)?.state.turn);
  return moment.waits.filter(
    ({ source, instance }) => source !== 'lifecycle' || !isTurning(instance),
  );
}

/** The letter of a call without the id of its instance, which differs for each child of a loop. */
export function localLetter({
  letter,
  instance,
}: Pick<WaitingCall, 'letter' | 'instance'>): string {
  return letter.replace(instance, '');
}

/** The events of the explored instance itself. */
export function ownEvents({ events }: Pick<Moment, 'events'>): readonly HostEvent[] {
  return events.filter(({ instance }) => instance === explored);
}

/** Whether the person has written to the explored instance. */
export function hasSpoken({ transcript }: Pick<Moment, 'transcript'>): boolean {
  return transcript.some(({ role }) => role === 'contact');
}

/** The id of the instance that gets the person's messages, because it holds the contact. */
export function listenerAt(moment: Moment): string | undefined {
  const members = [{ ...moment, id: explored }, ...moment.children];
  return members.findLast(({ ended, state }) => !ended && state.holds)?.id;
}

/** When a waiting call continues by itself, in milliseconds since 1970 UTC; `Infinity` when only a person can answer it. */
export function dueAt({ port, input, repeatAt }: WaitingCall): number {
  return repeatAt ?? (port === 'timer' ? Number(input['at']) : Infinity);
}

/** The time at which something is due next; `Infinity` when nothing is. */
export function nextDue({ waits }: Moment): number {
  return Math.min(Infinity, ...waits.map(dueAt));
}

/** The times at which something is due, in order. */
export function duesOf(waits: readonly WaitingCall[]): readonly number[] {
  const times = waits.map(dueAt).filter((due) => due < Infinity);
  return [...new Set(times)].toSorted((one, other) => one - other);
}
