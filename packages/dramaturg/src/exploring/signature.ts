import { isRecord, type Json, type JsonObject, portSchemas } from '@dramaturg/compiler';
import { hasSpoken, localLetter, type Moment, type Stored, type WaitingCall } from './moment.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Snapshots larger than this, in UTF-16 units, are not explored further: a definition may double its data in a loop. */
const longest = 200_000;

/**
 * A key that distinguishes moments: the states, the waiting calls, and the data. In data, only words and small numbers of the
 * definition count.
 *
 * @returns undefined when the data are too large, or the children too many
 */
export function signatureOf(moment: Moment, vocabulary: Vocabulary): string | undefined {
  const { status, calls, waits } = moment;
  const text = JSON.stringify([
    status,
    hasSpoken(moment),
    abstracted(ownSnapshot(moment), vocabulary),
    moment.children
      .filter(({ ended }) => !ended)
      .map((child) => [child.definition, child.status, abstracted(ownSnapshot(child), vocabulary)]),
    [...calls, ...waits].map((call) => `${call.port} ${call.child} ${letterOf(call)}`),
  ]);
  return moment.isCut || text.length > longest ? undefined : text;
}

/**
 * Like `signatureOf`, for the rows of a lifecycle: its counts, the attempts of failed calls, and only the waits of the flow.
 *
 * @returns undefined in the same cases as `signatureOf`
 */
export function rowSignatureOf(moment: Moment, vocabulary: Vocabulary): string | undefined {
  const { status, state, calls, waits } = moment;
  const attempts = Object.values(state.repeated ?? {}).map(({ attempt }) => attempt);
  const text = JSON.stringify([
    status,
    isRecord(state.flow) ? state.flow['status'] : null,
    abstracted(withoutCounters(state.lifecycle.snapshot), vocabulary),
    // A flow decides on its turns by itself.
    isRecord(state.flow) ? null : turnFacts(moment),
    attempts,
    [...calls, ...waits].map(({ port, source }) => `${port} ${source}`),
  ]);
  return moment.isCut || isTooLarge(moment) ? undefined : text;
}

/** What a lifecycle has stored of a turn and of a timer. */
interface LifecycleFacts {
  readonly turn: JsonObject | null;
  readonly timer: { readonly due_at: number; readonly delay_ms: number } | null;
  readonly frozen: (Pick<LifecycleFacts, 'turn'> & { readonly timer: StoppedTimer | null }) | null;
  readonly seen: readonly Json[];
  readonly follow_up_count: number;
}

type StoppedTimer = NonNullable<LifecycleFacts['timer']> & { readonly remaining_ms: number };

export function factsOf({ lifecycle }: Stored['state']): LifecycleFacts {
  return (lifecycle.snapshot as unknown as { readonly context: LifecycleFacts }).context;
}

/** Whether a part of the time of a timer has passed: while it ran, and since a pause has stopped it. */
export function passedTime({ at, state }: Moment): readonly [running: boolean, stopped: boolean] {
  const { timer, frozen } = factsOf(state);
  const stopped = timer ? undefined : frozen?.timer;
  if (stopped)
    return [stopped.remaining_ms < stopped.delay_ms, at > stopped.due_at - stopped.remaining_ms];
  return [timer !== null && at > timer.due_at - timer.delay_ms, false];
}

/** What the guards of a lifecycle read of a turn, and of one that was interrupted. */
function turnFacts(moment: Moment): Json {
  const { turn, frozen, seen } = factsOf(moment.state);
  const facts = [turn, frozen?.turn].map((each): Json => {
    const { kind = null, sent, message_count: given, asked = null, ended = null } = Object(each);
    return [kind, sent > 0, given > 0, asked, ended, seen.length > 0];
  });
  return [...facts, ...passedTime(moment)];
}

/**
 * Counters that a lifecycle has only to name turns, messages and timers, and what no row reads. Of waiting messages, it matters
 * only whether there are several.
 */
const counters = new Set(
  'timers turn_counter message_counter turns came_from told unsaid end_reason failure_reason cancel_reason intervention_reason'.split(
    ' ',
  ),
);
const waitingMax = 2;

function withoutCounters(value: Json): Json {
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      if (counters.has(name)) return [];
      if (name === 'inbox_count') return [[name, Math.min(Number(inner), waitingMax)]];
      return [[name, withoutCounters(inner)]];
    }),
  );
}

/** Whether the data of a moment are too large to explore it further. */
export function isTooLarge(moment: Moment): boolean {
  const open = moment.children.filter(({ ended }) => !ended);
  const snapshots = [moment, ...open].map((each) => ownSnapshot(each));
  return JSON.stringify(snapshots).length > longest;
}

/** The snapshot of a flow, or of a lifecycle that runs by itself. */
function ownSnapshot({ state: { flow, lifecycle } }: Stored): Json {
  return flow ?? lifecycle.snapshot;
}

/** The states and calls of a moment, without data: moments of one place take turns in the search. */
export function placeOf({ state, status, calls, waits, children }: Moment): string {
  const valueOf = ({ flow, lifecycle }: Stored['state']) =>
    value(flow) ?? value(lifecycle.snapshot);
  const value = (snapshot: Json | undefined) =>
    isRecord(snapshot) ? snapshot['value'] : undefined;
  return JSON.stringify([
    status,
    valueOf(state),
    children.filter(({ ended }) => !ended).map((child) => valueOf(child.state)),
    [...calls, ...waits].map((call) => [call.child, letterOf(call)]),
  ]);
}

/** Fields of contexts and snapshots that count what has happened, say when, or are only shown to models. */
const ignored = new Set([
  'key',
  'transcript',
  'turn',
  'messages',
  'message',
  'seen',
  'inbox',
  'history',
  'asked',
  'prompt',
  'asks',
  'known',
  'directions',
  'schema',
  'constantSchema',
  'constantTools',
  'tools',
  'systemId',
  'syncSnapshot',
  'timer',
  'noted',
  'checks',
  'refused',
  'selected',
  'thoughts',
  'memories',
  'queries',
  'thread',
  'summary',
  'folded',
  'directive',
  'historyValue',
  'steps',
  'enteredAt',
  'usage',
  'done',
  'timeoutAt',
  'until',
  'delay',
]);

/** Fields inside the data of authors belong to the author: only those of the machines themselves are left out. */
const dataFields = new Set(['data', 'input', 'variables', 'output', 'result']);

function abstracted(value: Json, vocabulary: Vocabulary, isData = false): Json {
  if (typeof value === 'string') return vocabulary.texts.has(value) ? value : '#';
  if (typeof value === 'number') return abstractedNumber(value, vocabulary);
  if (Array.isArray(value))
    return value.slice(0, 20).map((each) => abstracted(each, vocabulary, isData));
  if (!isRecord(value)) return value;
  // The call of a port was made from the data of its machine.
  if (!isData && typeof value['src'] === 'string' && Object.hasOwn(portSchemas, value['src']))
    return value['src'];
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      if (!isData && ignored.has(name)) return [];
      // Of the execution of a workflow, only its requestor may matter.
      const part = !isData && name === 'execution' ? requestorIn(inner, vocabulary) : inner;
      return [[name, abstracted(part, vocabulary, isData || dataFields.has(name))]];
    }),
  );
}

function requestorIn(execution: Json, { readsRequestor }: Vocabulary): Json {
  const { context } = Object(execution) as { readonly context?: JsonObject };
  const { Execution: given } = Object(context) as { readonly Execution?: JsonObject };
  return readsRequestor ? (given?.['Requestor'] ?? null) : null;
}

/** A number up to the highest limit stays the same. A larger one becomes its place among the numbers that data are compared with. */
function abstractedNumber(value: number, { largestNumber, thresholds }: Vocabulary): Json {
  if (value <= largestNumber) return Math.round(value * 100) / 100;
  const isOne = thresholds.includes(value);
  return `#${thresholds.filter((threshold) => threshold < value).length}${isOne ? '=' : ''}`;
}

/** The letter of a call, the same at each visit of its state. */
function letterOf(call: WaitingCall): string {
  return localLetter(call).replaceAll(/[/-]\d+/g, '');
}
