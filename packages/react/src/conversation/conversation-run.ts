import {
  type EventObject,
  isRecord,
  type Json,
  type Port,
  type PortName,
  type Ports,
  portSchemas,
  providePorts,
  type SpokenLine,
} from '@dramaturg/compiler';
import { failedTag, failureOfOutput, standingFailure, waitingTag } from '@dramaturg/compiler/chart';
import { type Decision, type Question, unprovided } from '@dramaturg/compiler/machine';
import {
  type AnyActor,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  createActor,
  type InspectionEvent,
  type StateValue,
} from 'xstate';
import type { Deliverable } from '../deliverables/deliverables.tsx';
import type { TimelineEvent } from '../timeline/timeline.tsx';
import { RunningMachines, type StateProgress } from './running-machines.ts';

/** A line of a conversation. */
export interface Message {
  readonly id: string;
  /** `note` is a message of the page, such as a refusal or an error. */
  readonly role: 'agent' | 'person' | 'note';
  readonly text: string;
  /** Milliseconds since 1970 UTC. */
  readonly at?: number;
}

/** The current state of a run, to show. */
export interface ConversationState {
  /** Undefined before the start: on a server, and before the component is mounted. */
  readonly snapshot: AnyMachineSnapshot | undefined;
  /** The values of its machines, for `<Statechart value>`. */
  readonly values: readonly StateValue[];
  /** The names of the states that were entered, for `<Statechart visited>`. */
  readonly visited: readonly string[];
  /** The progress of states with items, for `<Statechart progress>`. */
  readonly progress: readonly StateProgress[];
  readonly messages: readonly Message[];
  readonly partial: string | undefined;
  readonly turn: 'agent' | 'person' | 'ended';
  /** A call of the turn has failed. The person's message is kept, and `retry` makes the call again. */
  readonly isFailed: boolean;
  /** The name of the state in which a workflow has failed, for `<Statechart failedIn>`. */
  readonly failedIn: string | undefined;
  readonly events: readonly TimelineEvent[];
  /** The deliverables that the tasks ask for, in the author's order, with values once known. Others that were collected follow. */
  readonly deliverables: readonly Deliverable[];
  readonly decisions: readonly Question[];
  /** The error of the machine, or why it cannot start. */
  readonly error: unknown;
}

/** A run as it can be stored: plain JSON. */
export interface StoredConversation {
  /** The result of `getPersistedSnapshot`. */
  readonly snapshot: unknown;
  readonly messages: readonly Message[];
  readonly deliverables: readonly Deliverable[];
}

export interface ConversationOptions {
  /** The input of the machine. */
  readonly input?: unknown;
  /** A run to continue, from `persist`. */
  readonly from?: StoredConversation | undefined;
  /** Milliseconds since 1970 UTC; by default the system time. */
  readonly now?: (() => number) | undefined;
  /** Receives XState's inspection events. */
  readonly inspect?: ((event: InspectionEvent) => void) | undefined;
}

export const notBegun: ConversationState = {
  snapshot: undefined,
  values: [],
  visited: [],
  progress: [],
  messages: [],
  partial: undefined,
  turn: 'agent',
  isFailed: false,
  failedIn: undefined,
  events: [],
  deliverables: [],
  decisions: [],
  error: undefined,
};

type Answer = (decision: Decision) => void;

/** Runs a machine and keeps its messages and events to show. Independent of React. */
export class ConversationRun {
  readonly #actor: AnyActor;
  readonly #machines = new RunningMachines();
  readonly #now: () => number;
  readonly #listeners = new Set<() => void>();
  readonly #answers = new Map<string, Answer>();
  #failure: Parameters<typeof standingFailure>[0];
  #state = notBegun;

  /** @param ports read at each call, so that they can be replaced during the run */
  constructor(machine: AnyStateMachine, ports: () => Partial<Ports>, options: ConversationOptions) {
    const { input, from, now = Date.now, inspect } = options;
    this.#now = now;
    const wanted = wantedDeliverables(machine.root);
    this.#set({
      messages: from?.messages ?? [],
      deliverables: withKnown(wanted, from?.deliverables ?? []),
    });
    const provided = providePorts(machine, this.#portsFor(ports), {
      onText: (part) => this.#set({ partial: (this.#state.partial ?? '') + part }),
      transcript: () => this.#spoken(),
    });
    this.#actor = createActor(provided, {
      input,
      ...(from ? { snapshot: from.snapshot as never } : {}),
      inspect: (happening) => {
        this.#machines.see(happening);
        // Listens from the first step on, also to the machines of items.
        if (happening.type === '@xstate.actor')
          (happening.actorRef as AnyActor).on('*', (event) => this.#listen(event as EventObject));
        inspect?.(happening);
      },
    });
  }

  get state(): ConversationState {
    return this.#state;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  start(): void {
    this.#actor.subscribe({
      next: () => this.#look(),
      error: (error) => this.#set({ error, turn: 'ended', isFailed: false, partial: undefined }),
      complete: () => this.#look(),
    });
    this.#actor.start();
    this.#look();
  }

  stop(): void {
    this.#listeners.clear();
    this.#actor.stop();
  }

  say(text: string): void {
    if (this.#refuses()) return;
    const { isFailed, messages } = this.#state;
    // A message that is sent again after a failure is already in the log.
    if (isFailed && messages.findLast(({ role }) => role === 'person')?.text === text)
      return this.retry();
    this.#set({ messages: [...messages, this.#message('person', text)] });
    this.send({ type: 'message.received', text });
  }

  /** Makes the failed call of a turn again. */
  retry(): void {
    this.send({ type: 'turn.retry' });
  }

  send(event: EventObject): void {
    if (this.#refuses()) return;
    this.#record(event, 'person');
    this.#actor.send(event);
  }

  decide(key: string, decision: Decision): void {
    this.#answers.get(key)?.({ by: 'person', ...decision });
  }

  /** Returns the run as it can be stored now. */
  persist(): StoredConversation {
    const { messages } = this.#state;
    const deliverables = this.#state.deliverables.filter(({ value }) => value !== undefined);
    const snapshot = this.#actor.getPersistedSnapshot();
    return JSON.parse(JSON.stringify({ snapshot, messages, deliverables })) as StoredConversation;
  }

  /** Looks up the current port at each call. Without a port for decisions, the person at the page decides. */
  #portsFor(ports: () => Partial<Ports>): Partial<Ports> {
    const own: Partial<Ports> = {
      requestDecision: this.#requestDecision,
      // A run continues even if it cannot be stored.
      saveCheckpoint: () => ({ kept: false }),
    };
    const asked = (Object.keys(portSchemas) as PortName[]).map((name) => [
      name,
      (input: never, call: never) =>
        ((ports()[name] ?? own[name] ?? unprovided(name)) as Port<PortName>)(input, call),
    ]);
    return Object.fromEntries(asked) as Partial<Ports>;
  }

  readonly #requestDecision: Ports['requestDecision'] = (question, { signal }) =>
    new Promise((resolve, reject) => {
      const { key } = question;
      const close = () => {
        this.#answers.delete(key);
        this.#set({ decisions: this.#state.decisions.filter((each) => each.key !== key) });
      };
      this.#answers.set(key, (output) => {
        close();
        resolve(output);
      });
      signal.addEventListener('abort', () => {
        close();
        reject(signal.reason);
      });
      this.#set({ decisions: [...this.#state.decisions, question] });
    });

  #listen(event: EventObject): void {
    this.#record(event, 'machine');
    this.#failure = standingFailure(this.#failure, event);
    const { type } = event;
    if (type === 'state.entered') {
      this.#set({ visited: [...this.#state.visited, String(event['state'])] });
    } else if (type === 'message.sent') {
      const message = this.#message('agent', String(event['text']));
      this.#set({ messages: [...this.#state.messages, message], partial: undefined });
    } else if (type === 'turn.failed' || type === 'message.refused') {
      const because = String(event['message'] ?? event['because']);
      const message = this.#message('note', because);
      this.#set({ messages: [...this.#state.messages, message], partial: undefined });
    } else if (type === 'deliverable.collected') {
      this.#collect(String(event['deliverable']), event);
    } else if (type === 'deliverable.withdrawn') {
      const { deliverables } = this.#state;
      this.#set({ deliverables: deliverables.filter(({ key }) => key !== event['deliverable']) });
    } else if (type === 'variables.extracted' && isRecord(event['variables'])) {
      for (const [key, value] of Object.entries(event['variables'])) this.#collect(key, { value });
    }
  }

  #collect(key: string, { value, state, unconfirmed }: Readonly<Record<string, unknown>>): void {
    const item: Deliverable = {
      key,
      value: value as Json,
      ...(typeof state === 'string' ? { state } : {}),
      ...(unconfirmed === true ? { unconfirmed } : {}),
    };
    this.#set({ deliverables: withKnown(this.#state.deliverables, [item]) });
  }

  /** Refuses a message after the end, with a note. */
  #refuses(): boolean {
    if (this.#state.turn !== 'ended') return false;
    const message = this.#message('note', 'It has ended and accepts no more messages.');
    this.#set({ messages: [...this.#state.messages, message] });
    return true;
  }

  #spoken(): SpokenLine[] {
    return this.#state.messages.flatMap(({ role, text }) =>
      role === 'note' ? [] : [{ role: role === 'person' ? 'contact' : role, text }],
    );
  }

  /** Updates the state from the machine's new snapshot. */
  #look(): void {
    const snapshot = this.#actor.getSnapshot() as AnyMachineSnapshot;
    const { status, error, output } = snapshot;
    const turn = status !== 'active' ? 'ended' : snapshot.hasTag(waitingTag) ? 'person' : 'agent';
    const isFailed = status === 'active' && snapshot.hasTag(failedTag);
    const failedIn = failureOfOutput(this.#failure, output)?.state;
    this.#set({ snapshot, turn, isFailed, failedIn, error, ...this.#place() });
  }

  #record(event: EventObject, source: string): void {
    const { events } = this.#state;
    const entry = { id: String(events.length + 1), at: this.#now(), source, event };
    this.#set({ events: [...events, entry] });
    // The root machine does not report events of an item's machine, and may not be at rest yet.
    queueMicrotask(() => this.#set(this.#place()));
  }

  #place(): Pick<ConversationState, 'values' | 'progress'> {
    return { values: this.#machines.values(), progress: this.#machines.progress() };
  }

  #message(role: Message['role'], text: string): Message {
    return { id: String(this.#state.messages.length + 1), role, text, at: this.#now() };
  }

  #set(change: Partial<ConversationState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

/** A node of a chart, or of a linked machine. */
interface Node {
  readonly meta?: unknown;
  readonly states?: Readonly<Record<string, Node>> | undefined;
}

/** The deliverables that the tasks of a plan ask for, in the author's order, without values. Other formats declare none. */
function wantedDeliverables(root: Node): readonly Deliverable[] {
  const items = new Map<string, Deliverable>();
  const add = ({ meta, states }: Node): void => {
    for (const task of listIn(meta, 'tasks')) {
      for (const { key, description, required } of listIn(task, 'deliverables')) {
        if (typeof key !== 'string' || items.has(key)) continue;
        items.set(key, {
          key,
          required: required === true,
          ...(typeof description === 'string' ? { description } : {}),
        });
      }
    }
    for (const state of Object.values(states ?? {})) add(state);
  };
  add(root);
  return [...items.values()];
}

/** Adds known values to deliverables, and appends those that no task asks for. */
function withKnown(
  wanted: readonly Deliverable[],
  known: readonly Deliverable[],
): readonly Deliverable[] {
  const items = new Map(wanted.map((item) => [item.key, item]));
  for (const item of known) items.set(item.key, { ...items.get(item.key), ...item });
  return [...items.values()];
}

function listIn(value: unknown, name: string): readonly Readonly<Record<string, unknown>>[] {
  const list = isRecord(value) ? value[name] : undefined;
  return Array.isArray(list) ? list.filter(isRecord) : [];
}
