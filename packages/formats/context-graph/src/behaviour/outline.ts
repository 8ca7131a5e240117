import { constant, longestOutline, type OptionalSection, section } from '@dramaturg/conversation';
import { type Address, graphPath, stateNode } from '../names.ts';
import type { GraphScope, StateMeta } from './meta.ts';

type Metas = GraphScope['meta'];

/** Composed once for each graph, so that stored calls share it. */
const outlines = new WeakMap<Metas, Map<string, OptionalSection>>();

/**
 * What every state of a graph is about. It stays the same while the conversation is in the graph, so that a provider caches it; each
 * call then only names the state in hand. Undefined for a graph with too much text: then each call has that of its state.
 */
export function statesOfGraph(meta: Metas, state: Address): OptionalSection {
  const path = graphPath(state);
  const composed = outlines.get(meta) ?? new Map<string, OptionalSection>();
  outlines.set(meta, composed);
  if (!composed.has(path)) composed.set(path, composeStates(meta, path));
  return composed.get(path);
}

function composeStates(meta: Metas, path: string): OptionalSection {
  const prefix = path === '' ? 'state:' : stateNode(path);
  const text = [...meta]
    .flatMap(([id, node]) => {
      const isHere = id.startsWith(prefix) && !id.slice(prefix.length).includes('/');
      return isHere && 'title' in node && 'type' in node ? [node as unknown as StateMeta] : [];
    })
    .map((state) => [`## ${state.title}`, ...stateText(state)].join('\n'))
    .join('\n\n');
  return text.length > longestOutline ? undefined : constant(section('The states', [text]));
}

/** The texts of a state that choices depend on. */
export function stateText(state: StateMeta): string[] {
  const { objective, actions = [], exits = [] } = state;
  return [
    ...(objective ? [`Objective: ${objective}`] : []),
    ...list(
      'Actions, in their order',
      actions.map(({ id, description }) => `${id}: ${description}`),
    ),
    ...list('Exit conditions', exits.map(exitLine)),
    ...list('How to move', state.intra_state_navigation_guidelines),
    ...list('Boundaries', state.boundary_constraints),
    ...list('How to decide', state.decision_guidelines),
  ];
}

function exitLine({
  id,
  description,
  next_state,
}: NonNullable<StateMeta['exits']>[number]): string {
  return `${id}: ${description} (to ${next_state})`;
}

function list(name: string, lines: readonly string[] = []): string[] {
  return lines.length === 0 ? [] : [`${name}:`, ...lines];
}
