import type { Chart, JsonObject } from '@dramaturg/compiler';
import type { ChartNode } from '@dramaturg/compiler/chart';
import { checklist } from './beginnings.ts';
import {
  duesOf,
  explored,
  leadingWaits,
  listenerAt,
  type Moment,
  nextDue,
  type WaitingCall,
} from './moment.ts';
import { type OperatorCommand, writeDuration } from '../testing/test-file.ts';
import type { Happening } from './player.ts';
import { factsOf, passedTime } from './signature.ts';

/** The inputs from outside that an instance waits for. */
export interface Outside {
  /** Whether the person may write. */
  readonly converses: boolean;
  /** Whether time also passes for the lifecycle, because it belongs to the definition. */
  readonly ownsLifecycle: boolean;
  /** Whether the rows of the lifecycle of a conversation or a workflow are tried, too. Of the flow, then only its waits count. */
  readonly triesRows: boolean;
  /** The possible endings of the tasks that wait for their tokens. */
  readonly taskEndings: (moment: Moment) => readonly Happening[];
  /** Commands of operators, for a conversation with a lifecycle of its own. */
  readonly commands: readonly OperatorCommand[];
  /** Events that the definition names. */
  readonly events: readonly JsonObject[];
  /** The events that its states accept, for a lifecycle that runs by itself: another one changes nothing. */
  readonly accepts?: ReadonlyMap<string, ReadonlySet<string>>;
  /** Events that the definition of a child names; undefined when its lifecycle is the built-in one. */
  readonly eventsOfChild: (name: string) => readonly JsonObject[] | undefined;
}

/** No test may pass more time than this, in milliseconds: 100 years. */
const longest = 36_525 * 24 * 3_600_000;

/** The possible happenings for an instance at rest, the most usual first. */
export function happeningsAt(moment: Moment, outside: Outside): readonly Happening[] {
  if (moment.ended || moment.calls.length > 0) return [];
  const questions = moment.waits.filter(({ port }) => port === 'requestDecision');
  const found: Happening[] = questions.flatMap((question) => decisions(question, questions));
  const listener = listenerAt(moment);
  if (listener !== undefined && (listener !== explored || outside.converses))
    found.push({ person: 'Hello' });
  found.push(...outside.taskEndings(moment));
  const timed = leadingWaits(moment).filter(({ source, child }) => {
    const isOwn =
      child === undefined ? outside.ownsLifecycle : outside.eventsOfChild(child) !== undefined;
    return isOwn || source !== 'lifecycle';
  });
  const times = duesOf(timed).filter((due) => due <= moment.at + longest);
  // The next time, and the last one: between them, a loop may repeat forever.
  const [first] = times;
  const isNext = first === nextDue(moment) || moment.children.some(({ ended }) => !ended);
  if (first !== undefined && isNext)
    for (const due of new Set([first, times.at(-1)!]))
      found.push({ later: writeDuration(due - moment.at) });
  if (outside.accepts) found.push(...partOfTime(moment));
  for (const operator of outside.commands) found.push({ operator });
  const turn = factsOf(moment.state).turn?.['id'];
  for (const event of outside.events)
    if (outside.accepts?.get(moment.status)?.has(event['type'] as string) === false) continue;
    else if (event['turn'] !== runningTurn) found.push({ event: event as never });
    else if (turn) found.push({ event: { ...event, turn } as never });
  return [...found, ...happeningsOfChildren(moment, outside)];
}

/** A part of the time of a timer passes, which decides when it is due after an event: once while it runs, and once during a pause. */
function partOfTime(moment: Moment): readonly Happening[] {
  const { timer, frozen } = factsOf(moment.state);
  const [running, stopped] = passedTime(moment);
  const left = timer ? timer.due_at - moment.at : (frozen?.timer?.remaining_ms ?? 0);
  const isPossible = left > 1 && (timer ? !running : running && !stopped);
  return isPossible ? [{ later: writeDuration(Math.floor(left / 2)) }] : [];
}

/** Happenings for children only. An operator may end a child, which fails the task of its parent. */
function happeningsOfChildren(
  { children }: Moment,
  { eventsOfChild }: Outside,
): readonly Happening[] {
  const names = new Set(children.flatMap(({ ended, definition }) => (ended ? [] : [definition])));
  return [...names].flatMap((child): Happening[] => [
    ...(eventsOfChild(child) ?? []).map((event) => ({ event: event as never, child })),
    { operator: 'cancel', child },
  ]);
}

function decisions({ input }: WaitingCall, all: readonly WaitingCall[]): readonly Happening[] {
  const prompt = input['prompt'] as string;
  const { approvers, isNamed, isExplained, options, batch } = input as {
    readonly approvers?: { readonly users: readonly string[]; readonly roles: readonly string[] };
    readonly isNamed?: boolean;
    readonly isExplained?: boolean;
    readonly options: readonly { readonly id: string }[];
    readonly batch?: { readonly isDivisible: boolean; readonly approves: string };
  };
  const users = (approvers?.users ?? []).slice(0, approversMax);
  const [role] = approvers?.roles ?? [];
  const isPersonal = isNamed === true || role !== undefined;
  const people = users.length > 0 ? users : [isPersonal ? 'Ana' : undefined];
  return people.flatMap((by, index) => {
    const more = {
      ...(by === undefined ? {} : { by }),
      ...(users.length === 0 && role !== undefined ? { roles: [role] } : {}),
      ...(isExplained ? { comment: 'As agreed.' } : {}),
      ...(all.length > 1 ? { question: prompt } : {}),
    };
    const isPlain = Object.keys(more).length === 0;
    // Every option for the first person, and one option for each of the others.
    return (index === 0 ? options : options.slice(0, 1)).flatMap(({ id }) => [
      { decide: isPlain ? id : { decision: id, ...more } },
      ...(batch?.isDivisible && batch.approves === id
        ? [{ decide: { decision: id, ...more, approved: [0] } }]
        : []),
    ]);
  });
}

const approversMax = 4;

/** Stands for the id of the turn that runs when the event is sent. */
const runningTurn = '<turn>';
const ofTurn = { turn: runningTurn, reason: 'as agreed' };

/** The fields with which the words of a lifecycle's guards hold. Spec: docs/formats/lifecycle.md#guards */
const fieldsOfWords: Readonly<Record<string, JsonObject>> = {
  currentTurn: ofTurn,
  openTurn: ofTurn,
  soundReply: { turn: runningTurn, text: 'Hello' },
  soundDelay: { turn: runningTurn, delay_ms: 600_000 },
  knownTodo: { turn: runningTurn, todo_id: checklist[0]!.id, status: 'completed' },
  contactBegins: { turn: runningTurn, awaits: 'contact' },
  failedForGood: { ...ofTurn, recoverable: false },
  soundMessage: { text: 'Hello' },
  newMessage: { id: 'message-1', text: 'Hello' },
};

/** The fields that a guard compares. If there are several, also without each of them, so that another guard decides. */
function fieldsToTry({ guard, actions = [] }: Row): readonly JsonObject[] {
  const { fields } = Object(guard?.params) as { readonly fields?: JsonObject };
  const names = Object.keys(fields ?? {});
  const without = (name: string) =>
    Object.fromEntries(Object.entries(fields!).filter(([each]) => each !== name));
  const word = fieldsOfWords[guard?.type ?? ''];
  return [
    ...(fields ? [fields] : []),
    ...(names.length < 2 ? [] : names.map(without)),
    ...(word ? [word] : []),
    ...([actions].flat().some(({ type }) => type.startsWith('record')) && !word
      ? [{ reason: 'as agreed' }]
      : []),
  ];
}

interface Row {
  readonly guard?: Named;
  readonly actions?: Named | readonly Named[];
}

interface Named {
  readonly type: string;
  readonly params?: JsonObject;
}

/** The events that the states of a chart name, with the fields that their guards and actions read. */
export function eventsOf(chart: Chart): readonly JsonObject[] {
  const found = new Map<string, JsonObject>();
  const pending: unknown[] = [chart];
  for (const part of pending) {
    if (typeof part !== 'object' || part === null) continue;
    const { on } = part as { readonly on?: Readonly<Record<string, readonly Row[]>> };
    for (const [type, rows] of Object.entries(on ?? {})) {
      if (type.endsWith('*')) continue;
      found.set(type, { type });
      for (const each of rows.flatMap(fieldsToTry))
        found.set(JSON.stringify([type, each]), { type, ...each });
    }
    pending.push(...Object.values(part));
  }
  return [...found.values()];
}

/** The events that the states of a lifecycle have rows for, by the names of the states. */
export function acceptedIn(
  { states = {}, on = {}, meta }: ChartNode,
  around: readonly string[] = [],
): ReadonlyMap<string, ReadonlySet<string>> {
  const own = [...around, ...Object.keys(on)];
  const { state } = Object(meta) as { readonly state?: string };
  return new Map([
    ...(state === undefined ? [] : [[state, new Set(own)] as const]),
    ...Object.values(states).flatMap((inner) => [...acceptedIn(inner, own)]),
  ]);
}
