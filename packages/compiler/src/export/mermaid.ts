import type { Chart } from '../chart/chart.ts';
import { chartGraph, type GraphNode } from '../chart/graph.ts';
import { nodeName } from '../chart/node-name.ts';
import { drawnGraph } from './drawn-graph.ts';
import { escaped } from './mermaid-text.ts';
import { overviewOf } from './overview.ts';
import { conditionWords, cut, drawnName, hiddenNodes, isDrawn, longestName } from './words.ts';

export interface MermaidOptions {
  /** Top to bottom, or left to right. */
  readonly direction?: 'TB' | 'LR';
  /** Only what the author wrote (`overview`, the default), or every node and transition of the chart. */
  readonly detail?: 'overview' | 'full';
}

/**
 * Prints a chart as a Mermaid state diagram. All nodes are declared before the arrows, because Mermaid would otherwise move a
 * node into a block whose arrow mentions it. Transitions without a target have no arrow. Nodes tagged `hidden-in-drawings`
 * are left out with their children and arrows. A chart that a node runs for items is drawn inside the node.
 */
export function toMermaid(chart: Chart, options: MermaidOptions = {}): string {
  const nodes = options.detail === 'full' ? drawnGraph(chart) : chartGraph(overviewOf(chart));
  const root = nodes[0]!;
  const lines = ['stateDiagram-v2'];
  if (options.direction) lines.push(`  direction ${options.direction}`);
  if (root.kind === 'parallel') lines.push(`  [*] --> ${idOf(root)}`, ...declaration(root, '  '));
  else lines.push(...block(root, '  '));
  lines.push(...arrows(nodes));
  return `${lines.join('\n')}\n`;
}

/** The content of a node. */
function block(node: GraphNode, indent: string): string[] {
  const children = node.children.filter(isDrawn);
  if (node.kind === 'parallel') {
    return children.flatMap((region, index) => [
      ...(index > 0 ? [`${indent}--`] : []),
      ...declaration(region, indent),
    ]);
  }
  const { initial } = node;
  return [
    ...(initial && isDrawn(initial) ? [`${indent}[*] --> ${idOf(arrowEnd(initial))}`] : []),
    ...children.flatMap((child) => declaration(child, indent)),
    ...children
      .filter(({ kind }) => kind === 'final')
      .map((child) => `${indent}${idOf(child)} --> [*]`),
  ];
}

function declaration(node: GraphNode, indent: string): string[] {
  // Always with a label: Mermaid misreads `state a` before a line that opens a block.
  const head = `${indent}state "${label(node)}" as ${idOf(node)}`;
  if (!isComposite(node)) return [head];
  return [`${head} {`, ...block(node, `${indent}  `), `${indent}}`];
}

function arrows(nodes: readonly GraphNode[]): string[] {
  const lines = new Set<string>();
  const hidden = hiddenNodes(nodes);
  const [root] = nodes;
  for (const source of nodes) {
    if (hidden.has(source)) continue;
    for (const { event, edges } of source.lists) {
      for (const { transition, targets } of edges) {
        for (const target of targets) {
          if (hidden.has(target) || (target === root && root.kind !== 'parallel')) continue;
          const words = [cut(event, longestName), conditionWords(transition)]
            .filter(Boolean)
            .join(' ');
          lines.add(arrow(source, target, words));
        }
      }
    }
  }
  const anywhere = [...lines].some((line) => line.startsWith(`  ${anywhereId} `));
  return [...(anywhere ? [`  state "anywhere" as ${anywhereId}`] : []), ...lines];
}

/** The source of the root's arrows, because the root itself is the whole drawing. */
const anywhereId = 's0_anywhere';

function arrow(source: GraphNode, target: GraphNode, words: string): string {
  const from = arrowEnd(source);
  const start = source.parent || source.kind === 'parallel' ? idOf(from) : anywhereId;
  const whose = from === source ? '' : `${cut(nodeName(source.node, source.key), longestName)}: `;
  const text = escaped(whose + words);
  return `  ${start} --> ${idOf(arrowEnd(target))}${text === '' ? '' : ` : ${text}`}`;
}

/**
 * The node that an arrow can start or end at. Mermaid's layout fails ("Cannot set properties of undefined",
 * mermaid issue 4052) on arrows to a composite inside a region of a parallel node, so they use the node that is
 * entered first in it.
 */
function arrowEnd(node: GraphNode): GraphNode {
  if (!isComposite(node) || !isInsideRegion(node)) return node;
  let at = node;
  while (isComposite(at)) {
    const inner: GraphNode | undefined =
      at.initial && isDrawn(at.initial) ? at.initial : at.children.find(isDrawn);
    at = inner!;
  }
  return at;
}

function isInsideRegion(node: GraphNode): boolean {
  // A region may carry arrows itself, unless it is parallel again.
  const from = node.kind === 'parallel' ? node : node.parent;
  for (let at = from; at?.parent !== undefined; at = at.parent)
    if (at.parent.kind === 'parallel') return true;
  return false;
}

function isComposite(node: GraphNode): boolean {
  return node.children.some(isDrawn);
}

function idOf({ index, key }: GraphNode): string {
  const words = key.replace(/[^A-Za-z0-9]+/g, '_').slice(0, 24);
  return words.replaceAll('_', '') === '' ? `s${index}` : `s${index}_${words}`;
}

function label(node: GraphNode): string {
  return escaped(cut(drawnName(node), longestName)) || idOf(node);
}
