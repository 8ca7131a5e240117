import type { Chart } from '@dramaturg/compiler';
import type { Question } from '@dramaturg/compiler/machine';
import type {
  EmittedEvent,
  InspectedCall,
  InspectorEvent,
  SentEvent,
} from '../../../src/events.ts';
import type { RecordedActor } from '../../../src/recording.ts';
import type { Actors } from './playback.ts';

/** An actor with the actors that it called. */

export interface Branch {
  readonly actor: RecordedActor;
  readonly depth: number;
}

/** The tree of callers and called actors, without port calls. */
export function treeOf(actors: Actors): readonly Branch[] {
  const children = new Map<string | undefined, RecordedActor[]>();
  for (const actor of actors.values()) {
    if (actor.call) continue;
    const parent = actors.has(actor.parentId ?? '') ? actor.parentId : undefined;
    const siblings = children.get(parent) ?? [];
    siblings.push(actor);
    children.set(parent, siblings);
  }
  const branches: Branch[] = [];
  const add = (parent: string | undefined, depth: number) => {
    for (const actor of children.get(parent) ?? []) {
      branches.push({ actor, depth });
      add(actor.sessionId, depth + 1);
    }
  };
  add(undefined, 0);
  return branches;
}

/** The actor to show first: the root machine that was started last. */
export function mainActor(actors: Actors): RecordedActor | undefined {
  return [...actors.values()].findLast(
    ({ parentId, definition }) => parentId === undefined && definition !== undefined,
  );
}

const charts = new Map<string, Chart>();

/** The machine of an actor, as a chart. */
export function chartIn(actor: RecordedActor | undefined): Chart | undefined {
  if (actor?.definition === undefined) return undefined;
  let chart = charts.get(actor.definition);
  if (!chart) {
    chart = JSON.parse(actor.definition) as Chart;
    charts.set(actor.definition, chart);
  }
  return chart;
}

export interface Call extends InspectedCall {
  readonly sessionId: string;
  readonly askedBy: string;
  readonly status: 'open' | 'answered' | 'failed' | 'given up';
  readonly output: unknown;
  readonly error: unknown;
  /** Milliseconds since 1970 UTC. */
  readonly askedAt: number;
  readonly endedAt: number | undefined;
}

const statuses = {
  active: 'open',
  done: 'answered',
  error: 'failed',
  stopped: 'given up',
} as const;

/** Calls of ports, the newest first. */
export function callsIn(actors: Actors): readonly Call[] {
  const calls: Call[] = [];
  for (const { call, sessionId, parentId, snapshot, bornAt, changedAt } of actors.values()) {
    if (!call) continue;
    const status = statuses[snapshot.status ?? 'active'];
    const { output, error } = snapshot;
    const askedBy = actors.get(parentId ?? '')?.name ?? '';
    const endedAt = status === 'open' ? undefined : changedAt;
    calls.push({ ...call, sessionId, askedBy, status, output, error, askedAt: bornAt, endedAt });
  }
  return calls.toReversed();
}

export interface Timer {
  readonly key: string;
  readonly askedBy: string;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
}

/** Running timers, the next one first. */
export function timersIn(calls: readonly Call[]): readonly Timer[] {
  return (
    calls
      .filter(({ port, status }) => port === 'timer' && status === 'open')
      .map(({ key, askedBy, input }) => ({ key, askedBy, at: Number(Object(input).at) }))
      // A time from another program, or a truncated one, can be invalid.
      .filter(({ at }) => !Number.isNaN(new Date(at).getTime()))
      .toSorted((one, other) => one.at - other.at)
  );
}

/** Open decisions. */
export function questionsIn(calls: readonly Call[]): readonly Question[] {
  return calls
    .filter(({ port, status }) => port === 'requestDecision' && status === 'open')
    .map(({ key, input }) => ({ ...(input as Question), key }))
    .filter(isQuestion);
}

function isQuestion({ prompt, options }: Question): boolean {
  return (
    typeof prompt === 'string' &&
    Array.isArray(options) &&
    options.every((option) => typeof Object(option).id === 'string')
  );
}

export interface Message {
  readonly id: string;
  readonly role: 'agent' | 'person' | 'note';
  readonly text: string;
  readonly at: number;
}

/** The messages, from the received and emitted events. */
export function messagesIn(events: readonly InspectorEvent[], count: number): readonly Message[] {
  const isStored = events.some(({ type }) => type === '@dramaturg.step');
  const conversationOf = ({ rootId }: InspectorEvent) => (isStored ? 'instance' : rootId);
  // A lifecycle emits every message of its conversation's log. Its flow emits the same messages, which are skipped.
  const logged = new Set(events.filter(isForLog).map(conversationOf));
  const messages: Message[] = [];
  const seen = new Set<string>();
  const heard = new Map<string, string>();
  for (let index = 0; index < count; index += 1) {
    const event = events[index]!;
    if (event.type !== '@xstate.event' && event.type !== '@dramaturg.emitted') continue;
    const { text, key, id } = event.event;
    if (typeof text !== 'string' || text === '') continue;
    const conversation = conversationOf(event);
    if (logged.has(conversation) && !isForLog(event)) continue;
    const role = roleIn(event);
    if (!role) continue;
    if (event.type === '@xstate.event') {
      // An actor may forward a received event; it counts once.
      if (event.sourceId === undefined) heard.set(conversation, text);
      else if (heard.get(conversation) === text) continue;
    }
    const name = JSON.stringify([conversation, role, id ?? key ?? event.id]);
    if (!seen.has(name)) messages.push({ id: event.id, role, text, at: Number(event.createdAt) });
    seen.add(name);
  }
  return messages;
}

function isForLog(event: InspectorEvent): boolean {
  if (event.type !== '@dramaturg.emitted') return false;
  const { type } = event.event;
  return type === 'message.recorded' || type === 'message.send.requested';
}

const logRoles: Readonly<Record<string, Message['role']>> = {
  contact: 'person',
  agent: 'agent',
  manual: 'note',
};

function roleIn(event: SentEvent | EmittedEvent): Message['role'] | undefined {
  const { type, role } = event.event;
  if (isForLog(event)) return logRoles[String(role)];
  if (event.type === '@xstate.event') return type === 'message.received' ? 'person' : undefined;
  return type === 'message.sent' ? 'agent' : undefined;
}

export interface Deliverable {
  readonly key: string;
  readonly value: never;
  readonly state?: string;
  readonly unconfirmed?: boolean;
}

/** The collected deliverables, from the emitted events. */
export function deliverablesIn(
  events: readonly InspectorEvent[],
  count: number,
): readonly Deliverable[] {
  const found = new Map<string, Deliverable>();
  for (let index = 0; index < count; index += 1) {
    const event = events[index]!;
    if (event.type === '@dramaturg.emitted' && event.event.type === 'deliverable.withdrawn')
      found.delete(String(event.event['deliverable']));
    if (event.type !== '@dramaturg.emitted' || event.event.type !== 'deliverable.collected')
      continue;
    const { deliverable: key, value, state, unconfirmed } = event.event;
    found.set(String(key), {
      key: String(key),
      value: value as never,
      ...(typeof state === 'string' ? { state } : {}),
      ...(unconfirmed === true ? { unconfirmed } : {}),
    });
  }
  return [...found.values()];
}

/** The names of the states that an actor has entered, in order, from the emitted events. */
export function visitedIn(
  events: readonly InspectorEvent[],
  count: number,
  sessionId: string,
): readonly string[] {
  return events
    .slice(0, count)
    .flatMap((event) =>
      event.type === '@dramaturg.emitted' &&
      event.sessionId === sessionId &&
      event.event.type === 'state.entered'
        ? String(event.event['title'] ?? event.event['state'])
        : [],
    );
}
