import { failureOfOutput, standingFailure } from '@dramaturg/compiler/chart';
import type { InspectorEvent } from '../../../src/events.ts';
import type { RecordedActor } from '../../../src/recording.ts';
import { nodesOf, type PlacedNode, titleOf } from './chart-nodes.ts';
import { chartIn } from './derive.ts';
import type { Actors } from './playback.ts';

/** A failure at a moment, for people. */
export interface Failure {
  readonly sessionId: string;
  /** The name of the state in which it failed. */
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
 * The failure of a run after its first `count` events. If several actors have failed, it is the cause: that of the innermost
 * machine. A failed call that its caller has handled does not count.
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
  return first && failureOf(first, actors, events, count);
}

function failureOf(
  actor: RecordedActor,
  actors: Actors,
  events: readonly InspectorEvent[],
  count: number,
): Failure {
  const { snapshot, sessionId } = actor;
  const state = failedState(actor, actors, events, count);
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

/** Words a thrown value for people. */
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

/** The state whose failure has ended an actor, or else the last one that it entered, or the current one. */
function failedState(
  actor: RecordedActor,
  actors: Actors,
  events: readonly InspectorEvent[],
  count: number,
): PlacedNode | undefined {
  const failed = failedIn(actor, events, count);
  if (failed) return stateNamed(failed.state, actors.get(failed.sessionId) ?? actor);
  const entered = lastEmitted(events, count, actor.sessionId, 'state.entered');
  if (entered) return stateNamed(entered['state'], actor) ?? stateNamed(entered['title'], actor);
  const active = new Set(actor.snapshot.nodes);
  return statesOf(actor).findLast(({ id }) => active.has(id));
}

/** The state whose failure has ended a workflow, and its machine: that of the workflow or of an item. */
export function failedIn(
  { rootId, snapshot }: RecordedActor,
  events: readonly InspectorEvent[],
  count: number,
): { readonly state: string; readonly sessionId: string } | undefined {
  let standing: Parameters<typeof standingFailure>[0];
  let sessionId = '';
  for (const event of events.slice(0, count)) {
    if (event.rootId !== rootId || event.type !== '@dramaturg.emitted') continue;
    const after = standingFailure(standing, event.event);
    if (after !== standing) ({ sessionId } = event);
    standing = after;
  }
  const failure = failureOfOutput(standing, snapshot.output);
  return failure && { state: failure.state, sessionId };
}

function statesOf(actor: RecordedActor): readonly PlacedNode[] {
  const chart = chartIn(actor);
  return chart ? [...nodesOf(chart).values()].filter(({ parent }) => parent) : [];
}

function stateNamed(name: unknown, actor: RecordedActor): PlacedNode | undefined {
  if (name === undefined) return undefined;
  const nodes = statesOf(actor);
  return (
    nodes.find(({ node }) => node.meta?.['id'] === name) ??
    nodes.find((node) => titleOf(node) === name)
  );
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
