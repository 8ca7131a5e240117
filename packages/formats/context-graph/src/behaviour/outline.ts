import { constant, longestOutline, type OptionalSection, section } from '@dramaturg/conversation';
import { type Address, graphPath, stateNode } from '../names.ts';
import { graphMeta, type GraphScope, rootMeta, type StateMeta } from './meta.ts';

type Metas = GraphScope['meta'];

/** Composed once for each graph, so that stored calls share it. */
const outlines = new WeakMap<Metas, Map<string, OptionalSection>>();

/**
 * The texts of all states of a graph. They are the same while the conversation is in the graph, so that a provider caches them;
 * each call then only names the current state. Undefined for a graph with too much text: then each call contains the text of its
 * state.
 */
export function statesOfGraph(meta: Metas, state: Address): OptionalSection {
  const path = graphPath(state);
  const composed = outlines.get(meta) ?? new Map<string, OptionalSection>();
  outlines.set(meta, composed);
  if (!composed.has(path)) composed.set(path, composeStates(meta, state));
  return composed.get(path);
}

function composeStates(meta: Metas, within: Address): OptionalSection {
  const path = graphPath(within);
  const prefix = path === '' ? 'state:' : stateNode(path);
  const { maps = [] } = rootMeta(meta);
  const [own] = graphMeta(meta, within).topology;
  const mapLines = (maps[own?.map ?? -1] ?? '').split('\n');
  const text = [...meta]
    .flatMap(([id, node]) => {
      const isHere = id.startsWith(prefix) && !id.slice(prefix.length).includes('/');
      return isHere && 'title' in node && 'type' in node ? [node as unknown as StateMeta] : [];
    })
    .map((state) => [`## ${state.title}`, ...stateText(state, mapLines)].join('\n'))
    .join('\n\n');
  return text.length > longestOutline ? undefined : constant(section('The states', [text]));
}

/**
 * The texts of a state that choices depend on.
 *
 * @param mapLines the lines of a map that the prompt has, too
 */
export function stateText(state: StateMeta, mapLines: readonly string[] = []): string[] {
  const { objective, actions = [], exits = [] } = state;
  return [
    ...(objective ? [`Objective: ${objective}`] : []),
    ...list(
      'Actions, in their order',
      actions.map(({ id, description }) => `${id}: ${description}`),
    ),
    ...list(
      'Exit conditions',
      exits.map((exit) => exitLine(exit, mapLines)),
    ),
    ...list('How to move', state.intra_state_navigation_guidelines),
    ...list('Boundaries', state.boundary_constraints),
    ...list('How to decide', state.decision_guidelines),
  ];
}

/** Omits the target of an exit if the map contains it. */
function exitLine(
  { id, description, next_state: to }: NonNullable<StateMeta['exits']>[number],
  mapLines: readonly string[],
): string {
  const isMapped = mapLines.some(
    (line) => line.startsWith(`  (${description}) -> [`) && line.endsWith(`] ${to}`),
  );
  return `${id}: ${description}${isMapped ? '' : ` (to ${to})`}`;
}

function list(name: string, lines: readonly string[] = []): string[] {
  return lines.length === 0 ? [] : [`${name}:`, ...lines];
}
