import type { RecordedActor } from '../../../src/recording.ts';
import {
  isCompiled,
  nodesOf,
  type PlacedNode,
  targetIdsOf,
  titleOf,
  transitionsOf,
} from './chart-nodes.ts';
import { chartIn } from './derive.ts';
import type { Actors } from './playback.ts';

/** An event that an actor accepts now, and the state that it leads to if there is one. */
export interface AcceptedEvent {
  readonly type: string;
  readonly to?: string;
}

/** The actor to which people send events: the lifecycle of a stored instance, or else the selected actor. */
export function receiverIn(
  actors: Actors,
  selected: RecordedActor | undefined,
  isStored: boolean,
): RecordedActor | undefined {
  if (!isStored) return selected;
  return [...actors.values()].find((actor) => !actor.call && listsEvents(actor));
}

/**
 * The events that a person may send to an actor in its current states. Events that the machine raises itself, and events of the
 * contract between lifecycle and flow, are left out.
 */
export function acceptedEvents(actor: RecordedActor | undefined): readonly AcceptedEvent[] {
  const chart = chartIn(actor);
  if (!actor || !chart || actor.snapshot.status !== 'active') return [];
  const nodes = nodesOf(chart);
  const active = (actor.snapshot.nodes ?? []).flatMap((id) => nodes.get(id) ?? []).toReversed();
  const found = new Map<string, AcceptedEvent>();
  const add = (event: AcceptedEvent) => found.has(event.type) || found.set(event.type, event);
  if (!isCompiled(chart)) {
    for (const placed of active.flatMap(transitionsOf))
      if (isForPeople(placed.event)) {
        const to = nodes.get(targetIdsOf(placed)[0] ?? '');
        add({ type: placed.event, ...(to ? { to: titleOf(to) } : {}) });
      }
    return [...found.values()];
  }
  const raised = raisedIn(nodes.values());
  for (const { event, to } of active.flatMap(listedEvents))
    if (isForPeople(event) && !event.includes('.') && !raised.has(event))
      add({ type: event, ...(to === undefined ? {} : { to }) });
  return [...found.values()];
}

/** Whether a machine lists its events, as a lifecycle does. */
function listsEvents(actor: RecordedActor): boolean {
  const chart = chartIn(actor);
  return (
    chart !== undefined &&
    [...nodesOf(chart).values()].some((node) => listedEvents(node).length > 0)
  );
}

function listedEvents({ node }: PlacedNode) {
  const accepts = node.meta?.['accepts'];
  if (!Array.isArray(accepts)) return [];
  return accepts as unknown as readonly { readonly event: string; readonly to?: string }[];
}

function raisedIn(nodes: Iterable<PlacedNode>): ReadonlySet<string> {
  const raised = new Set<string>();
  for (const node of nodes)
    for (const { transition } of transitionsOf(node))
      for (const { type, params } of transition.actions ?? [])
        if (type === 'raise' && typeof params?.['event'] === 'string') raised.add(params['event']);
  return raised;
}

/** Events of lifecycles that carry a text. Spec: docs/formats/lifecycle.md */
const needText = new Set(['intervene', 'manual_send']);

function isForPeople(event: string): boolean {
  if (event === '' || event.includes('*') || needText.has(event)) return false;
  return !/^(?:xstate\.|after )/.test(event);
}
