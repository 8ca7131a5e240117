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
      const label = oneLine(conditionLabel(exit));
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

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
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

/**
 * Parses a topology.
 *
 * @throws SyntaxError with the number of the first line that the grammar does not allow
 */
export function parseTopology(text: string): Topology {
  const lines = text.split('\n').map((line) => line.trimEnd());
  while (lines.at(-1) === '') lines.pop();
  const newUser = startOf(lines[0], 'new user', 1);
  const returningUser = startOf(lines[1], 'returning user', 2);
  const states: TopologyBlock[] = [];
  for (let at = 2; at < lines.length; at += 1) {
    const line = lines[at]!;
    if (line === '') continue;
    if (lines[at - 1] !== '') throw unexpected(line, at);
    const exits: TopologyBlock['exits'][number][] = [];
    const block = blockOf(line, at);
    while (lines[at + 1]?.startsWith('  (')) {
      if (block.isTerminal || block.exits.length > 0) throw unexpected(lines[at + 1]!, at + 1);
      at += 1;
      exits.push(exitOf(lines[at]!, at));
    }
    states.push(exits.length > 0 ? { ...block, exits } : block);
  }
  return { newUser, returningUser, states };
}

function startOf(line: string | undefined, who: string, number: number): TopologyNode {
  const lead = `START(${who}) -> `;
  if (!line?.startsWith(lead)) throw unexpected(line ?? '', number - 1);
  return nodeOf(line.slice(lead.length), number - 1);
}

function blockOf(line: string, at: number): TopologyBlock {
  const arrow = line.indexOf(' -> ');
  const node = nodeOf(arrow < 0 ? line : line.slice(0, arrow), at);
  if (arrow < 0) return { ...node, isTerminal: false, exits: [] };
  const rest = line.slice(arrow + ' -> '.length);
  if (rest === 'END') return { ...node, isTerminal: true, exits: [] };
  return { ...node, isTerminal: false, exits: [{ target: nodeOf(rest, at) }] };
}

/** A condition may contain brackets and arrows itself: it ends at the last `) -> [`. */
function exitOf(line: string, at: number): TopologyBlock['exits'][number] {
  const end = line.lastIndexOf(') -> [');
  if (end < 0) throw unexpected(line, at);
  return {
    condition: line.slice('  ('.length, end),
    target: nodeOf(line.slice(end + ') -> '.length), at),
  };
}

function nodeOf(text: string, at: number): TopologyNode {
  const found = /^\[([A-Z?])\] (\w+(?:\.\w+)?)(?: then \[([A-Z?])\] (\w+))?$/.exec(text);
  if (!found) throw unexpected(text, at);
  const [, letter = '', name = '', thenLetter, thenName] = found;
  return thenLetter === undefined || thenName === undefined
    ? { letter, name }
    : { letter, name, jumpback: { letter: thenLetter, name: thenName } };
}

function unexpected(line: string, at: number): SyntaxError {
  return new SyntaxError(`Line ${at + 1} of the topology cannot be read: ${line}`);
}
