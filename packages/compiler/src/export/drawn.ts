import type { Chart, ChartTransition, NodeMeta, Reference } from '../chart/chart.ts';
import { chartGraph, type EdgeList, type GraphNode, nodeName } from '../chart/graph.ts';
import { hiddenTag } from '../contract/states.ts';
import { isRecord, type Path } from '../json.ts';

/** The nodes and arrows of a chart, for layout engines. A node comes before its children. */
export interface Drawing {
  readonly title: string;
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly DrawnEdge[];
}

export interface DrawnNode {
  readonly id: string;
  /** The id of the parent node; absent for outermost nodes. */
  readonly parent?: string;
  /** `anywhere` is the source of arrows that leave from every state of the chart, or of an exit that several states share.
   * `entry` is a beginning besides the initial state. `group` frames states that belong together, such as hidden states between two action states. */
  readonly kind: GraphNode['kind'] | 'anywhere' | 'group' | 'entry';
  readonly name: string;
  /** The format's word for this kind of node: `loose`, `Task`, `waiting`. */
  readonly sort?: string;
  readonly description?: string;
  /** Entered first when its parent is entered. */
  readonly initial: boolean;
  /** Its keys from the root, as in the state value of a snapshot. */
  readonly path: readonly string[];
  /** Where the author wrote it. */
  readonly origin?: Path;
  /** The ports that it calls while it is active. */
  readonly asks: readonly string[];
}

export interface DrawnEdge {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  /** The states that share this exit, if the source represents them. */
  readonly sources?: readonly string[];
  /** Where the author wrote the transitions that the arrow represents. */
  readonly origins?: readonly Path[];
  /** The event and the condition; empty when it needs neither. */
  readonly label: string;
}

/**
 * The graph of a chart for drawing. A chart that a node runs for items becomes part of the node, as if its nodes were the
 * node's children. If the node has other children or more such charts, each chart gets a box of its own.
 */
export function drawnGraph(chart: Chart): readonly GraphNode[] {
  const nodes = [...chartGraph(chart)];
  for (const node of nodes) {
    const graphs = (node.node.invoke ?? []).flatMap((call) => call.chart ?? []).map(chartGraph);
    for (const graph of graphs) {
      const isAlone = graphs.length === 1 && node.children.length === 0;
      const added = isAlone ? dissolved(graph, node) : boxed(graph, node);
      for (const inner of added) nodes.push(Object.assign(inner, { index: nodes.length }));
    }
  }
  return nodes;
}

/** Replaces the root of a graph by another node, and returns the other nodes. */
function dissolved([root, ...inner]: readonly GraphNode[], node: GraphNode): readonly GraphNode[] {
  const { kind, initial, children, lists } = root!;
  for (const child of children) Object.assign(child, { parent: node });
  Object.assign(node, { kind, initial, children, lists: [...node.lists, ...lists] });
  for (const placed of [node, ...inner]) placed.lists = placed.lists.map(withTarget(root!, node));
  return inner;
}

/** Redirects the transitions of a list from one target to another. */
function withTarget(from: GraphNode, to: GraphNode) {
  return ({ event, edges }: EdgeList): EdgeList => ({
    event,
    edges: edges.map(({ transition, targets }) => ({
      transition,
      targets: targets.map((target) => (target === from ? to : target)),
    })),
  });
}

function boxed(graph: readonly GraphNode[], node: GraphNode): readonly GraphNode[] {
  node.children.push(Object.assign(graph[0]!, { parent: node }));
  return graph;
}

/** Shared by all drawings of a chart: hidden nodes, and the texts of nodes and arrows. */

const longestGuard = 60;

/** The most characters of a name or a label. */
export const longestName = 80;

export function isDrawn({ node }: GraphNode): boolean {
  return !node.tags?.includes(hiddenTag);
}

/** The nodes that drawings leave out, including descendants. */
export function hiddenNodes(nodes: readonly GraphNode[]): Set<GraphNode> {
  const hidden = new Set<GraphNode>();
  for (const node of nodes)
    if (!isDrawn(node) || (node.parent && hidden.has(node.parent))) hidden.add(node);
  return hidden;
}

export function drawnName({ node, key, kind }: GraphNode): string {
  return kind === 'history' && !node.meta?.['title'] ? 'history' : nodeName(node, key);
}

/** The description of a transition without an authored condition. The arrow alone says the same. */
const unsaid = 'then';

/** The condition of a transition: the author's description if present, else `[guard]`; undefined without a guard. */
export function conditionWords({ description, guard }: ChartTransition): string | undefined {
  if (description === unsaid) return undefined;
  return description ? cut(description, longestName) : guard && `[${guardWords(guard)}]`;
}

/** `hasAll names:[name,age],min:2` */
function guardWords({ type, params = {} }: Reference): string {
  const details = JSON.stringify(params).slice(1, -1).replaceAll('"', '');
  return cut(details === '' ? type : `${type} ${details}`, longestGuard);
}

export function cut(text: string, longest: number): string {
  const characters = Array.from(text);
  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : text;
}

/** The format's word for a kind of node. */
export function sortOf({ type, kind, state }: NodeMeta): string | undefined {
  const word = type ?? kind ?? (isRecord(state) ? state['Type'] : undefined);
  return typeof word === 'string' ? word : undefined;
}
