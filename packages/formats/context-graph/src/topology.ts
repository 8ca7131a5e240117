import { type Graph, type State, type Target, targetsOf } from './definition.ts';
import { letters, otherLetter } from './shape.ts';
import { statesByName } from './state-graph.ts';

/**
 * The abstract topology: a map of a whole graph as text, for decisions and reflections. Spec:
 * docs/formats/context-graph.md#topology
 */

export interface TopologyOptions {
  /** A short label for an exit; its whole description when left out. */
  readonly conditionLabel?: (exit: { readonly description: string }) => string;
}

/** Renders a graph. Referenced graphs are named where they are entered, and not drawn. */
export function renderTopology(
  graph: Graph,
  { conditionLabel = ({ description }) => description }: TopologyOptions = {},
): string {
  const byName = statesByName(graph);
  const node = (name: string) => {
    const state = byName.get(name);
    return `[${state ? letters[state.type] : '?'}] ${name}`;
  };
  const external = new Map(
    graph.references.map(({ name, graph: other }) => [name, other && statesByName(other)]),
  );
  const target = (to: Target): string => {
    if (to.kind === 'malformed') return '[?] ?';
    if (to.kind === 'other') return `[${otherLetter}] ${to.target}`;
    if (to.kind === 'state') return node(to.state);
    const entered = external.get(to.reference)?.get(to.state);
    const letter = entered ? letters[entered.type] : '?';
    return `[${letter}] ${to.reference}.${to.state} then ${node(to.jumpback)}`;
  };
  const block = (state: State): string => {
    if (state.name === graph.terminal_state) return `${node(state.name)} -> END`;
    if (!('exit_conditions' in state))
      return [node(state.name), ...targetsOf(state).map(target)].join(' -> ');
    const exits = state.exit_conditions.flatMap((exit) => {
      const label = conditionLabel(exit).replace(/\s+/g, ' ').trim();
      return exit.next_state ? [`  (${label}) -> ${target(exit.next_state)}`] : [];
    });
    return [node(state.name), ...exits].join('\n');
  };
  const starts = [
    `START(new user) -> ${node(graph.new_user_initial_state)}`,
    `START(returning user) -> ${node(graph.returning_user_initial_state)}`,
  ].join('\n');
  return `${[starts, ...graph.states.map(block)].join('\n\n')}\n`;
}

/** The graphs whose maps a model receives in a graph: the graph itself, and the graphs that its references lead to. */
export function mappedGraphs(graph: Graph): { readonly title: string; readonly graph: Graph }[] {
  const mapped = [{ title: 'Map', graph }];
  const seen = new Set([graph]);
  for (const { graph: from } of mapped) {
    for (const { name, graph: other } of from.references) {
      if (!other || seen.has(other)) continue;
      seen.add(other);
      mapped.push({ title: `Map of the graph "${name}"`, graph: other });
    }
  }
  return mapped;
}

/** The author's own map if present, else the rendered one. */
export function mapOf(graph: Graph): string {
  return graph.topology_description || renderTopology(graph).trimEnd();
}

/** A state as a topology names it. */
export interface TopologyNode {
  readonly letter: string;
  readonly name: string;
  /** The state that a call of another graph returns to. */
  readonly jumpback?: { readonly letter: string; readonly name: string };
}

export interface TopologyBlock extends TopologyNode {
  readonly isTerminal: boolean;
  /** Exits with their conditions. The single exit of a state without conditions has none. */
  readonly exits: readonly { readonly condition?: string; readonly target: TopologyNode }[];
}

export interface Topology {
  readonly newUser: TopologyNode;
  readonly returningUser: TopologyNode;
  readonly states: readonly TopologyBlock[];
}

const node = String.raw`\[([A-Z?])\] (\w+(?:\.\w+)?)(?: then \[([A-Z?])\] (\w+))?`;
const blockLine = new RegExp(`^${node}(?: -> (?:(END)|${node}))?$`);
/** A condition may contain brackets and arrows itself: it ends at the last `) -> [`. */
const exitLine = new RegExp(String.raw`^  \((.*)\) -> ${node}$`);

/**
 * Parses a topology.
 *
 * @throws SyntaxError with the number of the first line that the grammar does not allow
 */
export function parseTopology(text: string): Topology {
  const lines = text.trimEnd().split('\n');
  const read = (at: number, form: RegExp, isAllowed = true): RegExpExecArray => {
    const line = lines[at]?.trimEnd() ?? '';
    const found = isAllowed ? form.exec(line) : null;
    if (!found) throw new SyntaxError(`Line ${at + 1} of the topology cannot be read: ${line}`);
    return found;
  };
  const [newUser, returningUser] = ['new', 'returning'].map((who, at) =>
    nodeIn(read(at, new RegExp(String.raw`^START\(${who} user\) -> ${node}$`))),
  );
  const states: TopologyBlock[] = [];
  for (let at = 2; at < lines.length; at += 1) {
    if (lines[at]!.trimEnd() === '') continue;
    const block = read(at, blockLine, lines[at - 1]!.trimEnd() === '');
    const isTerminal = block[5] !== undefined;
    const isAlone = block[5] === undefined && block[6] === undefined;
    const exits: TopologyBlock['exits'][number][] = block[6] ? [{ target: nodeIn(block, 6) }] : [];
    while (lines[at + 1]?.startsWith('  (')) {
      at += 1;
      const exit = read(at, exitLine, isAlone);
      exits.push({ condition: exit[1]!, target: nodeIn(exit, 2) });
    }
    states.push({ ...nodeIn(block), isTerminal, exits });
  }
  return { newUser: newUser!, returningUser: returningUser!, states };
}

/** @param from the group of the letter */
function nodeIn(found: RegExpExecArray, from = 1): TopologyNode {
  const [letter = '', name = '', thenLetter, thenName] = found.slice(from, from + 4);
  return thenLetter === undefined || thenName === undefined
    ? { letter, name }
    : { letter, name, jumpback: { letter: thenLetter, name: thenName } };
}
