import {
  type Decision,
  type EventObject,
  isRecord,
  type Json,
  type Port,
  type PortName,
  type Ports,
  portSchemas,
  providePorts,
  type Question,
  type SpokenLine,
  unprovided,
} from '@dramaturg/compiler';
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
import type { Message } from './message.ts';
import { RunningMachines } from './running-machines.ts';

/** Everything there is to show of a run, as it is now. */
export interface ConversationState {
  /** Undefined until it has begun: on a server, and before the page is shown. */
  readonly snapshot: AnyMachineSnapshot | undefined;
  /** Where its machines are, as `<Statechart value>` takes it. */
  readonly values: readonly StateValue[];
  readonly messages: readonly Message[];
  readonly partial: string | undefined;
  readonly turn: 'agent' | 'person' | 'ended';
  /** A call of the turn has failed. The person's message is kept, and `retry` makes the call again. */
  readonly isFailed: boolean;
  readonly events: readonly TimelineEvent[];
  /** What has been collected so far, by name. */
  readonly deliverables: readonly Deliverable[];
  readonly decisions: readonly Question[];
  /** What the machine has failed with, or what keeps it from beginning. */
  readonly error: unknown;
}

/** A run as it can be stored: plain JSON. */
export interface StoredConversation {
  /** As `getPersistedSnapshot` gives it. */
  readonly snapshot: unknown;
  readonly messages: readonly Message[];
  readonly deliverables: readonly Deliverable[];
}

export interface ConversationOptions {
  /** The input of the machine. */
  readonly input?: unknown;
  /** A run to go on from, as `persist` has given it. */
  readonly from?: StoredConversation | undefined;
  /** Milliseconds since 1970 UTC; the time of day when left out. */
  readonly now?: (() => number) | undefined;
  /** Events that an inspector wants to see. */
  readonly inspect?: ((event: InspectionEvent) => void) | undefined;
}

export const notBegun: ConversationState = {
  snapshot: undefined,
  values: [],
  messages: [],
  partial: undefined,
  turn: 'agent',
  isFailed: false,
  events: [],
  deliverables: [],
  decisions: [],
  error: undefined,
};

type Answer = (decision: Decision) => void;

/** One run of a machine, with what it says and does kept for showing. Knows nothing of React. */
export class ConversationRun {
  readonly #actor: AnyActor;
  readonly #machines = new RunningMachines();
  readonly #now: () => number;
  readonly #listeners = new Set<() => void>();
  readonly #answers = new Map<string, Answer>();
  #state = notBegun;

  /** @param ports asked for at each call, so that others can take their place while it runs */
  constructor(machine: AnyStateMachine, ports: () => Partial<Ports>, options: ConversationOptions) {
    const { input, from, now = Date.now, inspect } = options;
    this.#now = now;
    if (from) this.#set({ messages: from.messages, deliverables: from.deliverables });
    const provided = providePorts(machine, this.#portsFor(ports), {
      onText: (part) => this.#set({ partial: (this.#state.partial ?? '') + part }),
      transcript: () => this.#spoken(),
    });
    this.#actor = createActor(provided, {
      input,
      ...(from ? { snapshot: from.snapshot as never } : {}),
      inspect: (happening) => {
        this.#machines.see(happening);
        // Heard from the first step on, and from the machines that run for items too.
        if (happening.type === '@xstate.actor')
          (happening.actorRef as AnyActor).on('*', (event) => this.#hear(event as EventObject));
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
    // Said again, it is the same message, and stands in the log already.
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

  /** What can be stored now, to go on from later. */
  persist(): StoredConversation {
    const { messages, deliverables } = this.#state;
    const snapshot = this.#actor.getPersistedSnapshot();
    return JSON.parse(JSON.stringify({ snapshot, messages, deliverables })) as StoredConversation;
  }

  /** Each looks at its call for the one that is given then; decisions are the person's at this page if nobody else is asked. */
  #portsFor(ports: () => Partial<Ports>): Partial<Ports> {
    const own: Partial<Ports> = {
      requestDecision: this.#requestDecision,
      // A run that nobody keeps goes on all the same.
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

  #hear(event: EventObject): void {
    this.#record(event, 'machine');
    const { type } = event;
    if (type === 'message.sent') {
      const message = this.#message('agent', String(event['text']));
      this.#set({ messages: [...this.#state.messages, message], partial: undefined });
    } else if (type === 'turn.failed' || type === 'message.refused') {
      const because = String(event['message'] ?? event['because']);
      const message = this.#message('note', because);
      this.#set({ messages: [...this.#state.messages, message], partial: undefined });
    } else if (type === 'deliverable.collected') {
      this.#collect(String(event['deliverable']), event);
    } else if (type === 'variables.extracted' && isRecord(event['variables'])) {
      for (const [key, value] of Object.entries(event['variables'])) this.#collect(key, { value });
    }
  }

  #collect(key: string, { value, state, unconfirmed }: Readonly<Record<string, unknown>>): void {
    const others = this.#state.deliverables.filter((each) => each.key !== key);
    const item: Deliverable = {
      key,
      value: value as Json,
      ...(typeof state === 'string' ? { state } : {}),
      ...(unconfirmed === true ? { unconfirmed } : {}),
    };
    this.#set({ deliverables: [...others, item] });
  }

  /** What has ended takes nothing, and says so. */
  #refuses(): boolean {
    if (this.#state.turn !== 'ended') return false;
    const message = this.#message('note', 'It has ended and takes nothing more.');
    this.#set({ messages: [...this.#state.messages, message] });
    return true;
  }

  #spoken(): SpokenLine[] {
    return this.#state.messages.flatMap(({ role, text }) =>
      role === 'note' ? [] : [{ role: role === 'person' ? 'contact' : role, text }],
    );
  }

  /** Takes in where the machine has come to. */
  #look(): void {
    const snapshot = this.#actor.getSnapshot() as AnyMachineSnapshot;
    const { status, error } = snapshot;
    const turn = status !== 'active' ? 'ended' : snapshot.hasTag('waiting') ? 'person' : 'agent';
    const isFailed = status === 'active' && snapshot.hasTag('failed');
    this.#set({ snapshot, turn, isFailed, error, values: this.#machines.values() });
  }

  #record(event: EventObject, source: string): void {
    const { events } = this.#state;
    const entry = { id: String(events.length + 1), at: this.#now(), source, event };
    this.#set({ events: [...events, entry] });
    // What an item's machine tells is not told by the machine that was started. It has not come to rest yet.
    queueMicrotask(() => this.#set({ values: this.#machines.values() }));
  }

  #message(role: Message['role'], text: string): Message {
    return { id: String(this.#state.messages.length + 1), role, text, at: this.#now() };
  }

  #set(change: Partial<ConversationState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}
