import type { InspectorEvent } from '../../../src/events.ts';
import type { RecordedActor } from '../../../src/recording.ts';
import { nodesOf, type PlacedNode, titleOf } from './chart-nodes.ts';
import { chartIn } from './derive.ts';
import type { Actors } from './playback.ts';

/** What has failed at a moment, for people. */
export interface Failure {
  readonly sessionId: string;
  /** The state in which it failed. */
  readonly state?: string;
  readonly error: string;
  readonly cause?: string;
  /** The path of the state in the definition. */
  readonly origin?: readonly (string | number)[];
}

/** The tag of a state in which a failed call rests. Spec: docs/contract.md */
const failedTag = 'failed';

/** Whether an actor has failed: by an error, by its output, or because its last call failed. */
export function hasFailed({ call, snapshot }: RecordedActor): boolean {
  if (snapshot.status === 'error') return true;
  if (call) return false;
  const { status, failure_reason: reason } = Object(snapshot.output) as Record<string, unknown>;
  const isFailedOutput = status === 'failed' || status === 'timedOut' || typeof reason === 'string';
  return isFailedOutput || snapshot.tags?.includes(failedTag) === true;
}

/**
 * The failure of a run after its first `count` events. Where several actors have failed, it is the cause of the others: the
 * innermost machine. A failed call that its caller has handled does not count.
 */
export function failureIn(
  actors: Actors,
  events: readonly InspectorEvent[],
  count: number,
): Failure | undefined {
  const failed = [...actors.values()].filter((actor) => !actor.call && hasFailed(actor));
  const roots = failed.filter(({ parentId }) => parentId === undefined);
  // The flow comes after its lifecycle, and knows more about the failure.
  const first = roots.findLast((actor) => 'error' in Object(actor.snapshot.output)) ?? roots.at(-1);
  return first && failureOf(first, events, count);
}

function failureOf(
  actor: RecordedActor,
  events: readonly InspectorEvent[],
  count: number,
): Failure {
  const { snapshot, sessionId } = actor;
  const state = failedState(actor, events, count);
  const place = {
    sessionId,
    ...(state ? { state: titleOf(state) } : {}),
    ...(state?.node.meta?.origin ? { origin: state.node.meta.origin } : {}),
  };
  if (snapshot.status === 'error') return { ...place, ...wordsOf(snapshot.error) };
  const {
    error,
    cause,
    status,
    failure_reason: reason,
  } = Object(snapshot.output) as Record<string, unknown>;
  if (typeof error === 'string')
    return { ...place, error, ...(typeof cause === 'string' ? { cause } : {}) };
  if (typeof reason === 'string') return { ...place, error: reason };
  const turn = lastEmitted(events, count, sessionId, 'turn.failed');
  if (turn) {
    const { code, message, port } = turn;
    const words = `The call of the port "${String(port)}" failed (${String(code)})`;
    return { ...place, error: words, ...(typeof message === 'string' ? { cause: message } : {}) };
  }
  return { ...place, error: typeof status === 'string' ? status : 'It has failed.' };
}

/** The words of a thrown value. */
function wordsOf(error: unknown): { readonly error: string; readonly cause?: string } {
  const { name, message, code, cause } = Object(error) as Record<string, unknown>;
  if (typeof message !== 'string')
    return { error: typeof error === 'string' ? error : JSON.stringify(error ?? 'unknown') };
  const because = Object(cause) as { readonly message?: unknown };
  const words = typeof because.message === 'string' ? because.message : cause;
  const kind = typeof code === 'string' ? code : typeof name === 'string' ? name : 'Error';
  return {
    error: `${kind}: ${message}`,
    ...(typeof words === 'string' ? { cause: words } : {}),
  };
}

/** The state in which an actor rests, or the last one that it has entered. */
function failedState(
  actor: RecordedActor,
  events: readonly InspectorEvent[],
  count: number,
): PlacedNode | undefined {
  const chart = chartIn(actor);
  if (!chart) return undefined;
  const nodes = [...nodesOf(chart).values()].filter(({ parent }) => parent);
  const entered = lastEmitted(events, count, actor.sessionId, 'state.entered');
  if (entered) {
    const { title, state } = entered;
    return (
      nodes.find(({ node }) => state !== undefined && node.meta?.['id'] === state) ??
      nodes.find((node) => [title, state].includes(titleOf(node)))
    );
  }
  const active = new Set(actor.snapshot.nodes);
  return nodes.findLast(({ id }) => active.has(id));
}

function lastEmitted(
  events: readonly InspectorEvent[],
  count: number,
  sessionId: string,
  type: string,
): Readonly<Record<string, unknown>> | undefined {
  for (let index = Math.min(count, events.length) - 1; index >= 0; index -= 1) {
    const event = events[index]!;
    if (event.sessionId !== sessionId || event.type !== '@dramaturg.emitted') continue;
    if (event.event.type === type) return event.event;
  }
  return undefined;
}
