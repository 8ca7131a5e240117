import type { Chart } from '../chart/chart.ts';
import { chartGraph, type GraphNode, nodeName } from '../chart/graph.ts';
import { entriesOf } from './drawing.ts';
import {
  conditionWords,
  cut,
  drawnGraph,
  drawnName,
  type DrawnNode,
  hiddenNodes,
  isDrawn,
  longestName,
  sortOf,
} from './drawn.ts';
import { overviewOf } from './overview.ts';

/**
 * Escapes text so that Mermaid shows it unchanged. All but letters, digits and safe punctuation become numbered entities. So
 * do parts of list markers and of the words `direction LR`, which Mermaid interprets anywhere in a line.
 */
export function escaped(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[^\p{L}\p{N}\p{M} .,…!?'()[\]+=@/_-]/gu, entity)
    .replace(/\[\[|\]\]/g, (brackets) => Array.from(brackets, entity).join(''))
    .replace(/^(\d+)\.(?= )/, (_, number: string) => number + entity('.'))
    .replace(/^[-+](?= )/, entity)
    .replace(
      /directio(n)(?= +(?:TB|BT|RL|LR))/gi,
      (word) => word.slice(0, -1) + entity(word.at(-1)!),
    );
}

function entity(character: string): string {
  return `#${character.codePointAt(0)};`;
}

export interface MermaidOptions {
  /** Top to bottom, or left to right. */
  readonly direction?: 'TB' | 'LR';
  /** Only what the author wrote (`overview`, the default), or every node and transition of the chart. */
  readonly detail?: 'overview' | 'full';
  /** How kinds of states look: `mermaidLookOf` of `@dramaturg/drawing`. Without it all states look the same. */
  readonly lookOf?: (node: Pick<DrawnNode, 'kind' | 'name' | 'sort'>) => MermaidLook | undefined;
}

/** The look of a kind of state. */
export interface MermaidLook {
  /** Letters, digits and underscores. */
  readonly name: string;
  /** Properties of a `classDef`: `fill:#fff,stroke-dasharray:5 3`. */
  readonly style: string;
  /** Its tasks are done in order: arrows between them show it. */
  readonly isOrdered?: boolean | undefined;
}

/**
 * Whether a transition completes the enclosing state. No arrow can lead to that state: it would look like a loop to the node
 * entered first.
 */
type IsEnd = (source: GraphNode, target: GraphNode) => boolean;

/**
 * Prints a chart as a Mermaid state diagram. All nodes are declared before the arrows, because Mermaid would otherwise move a
 * node into a block whose arrow mentions it. Transitions without a target have no arrow. Nodes tagged `hidden-in-drawings`
 * are left out with their children and arrows. A chart that a node runs for items is drawn inside the node.
 *
 * @example
 * ```ts
 * const { chart } = compile('StartAt: Pay\nStates: { Pay: { Type: Succeed } }');
 * console.log(toMermaid(chart!).split('\n')[0]); // → stateDiagram-v2
 * ```
 */
export function toMermaid(chart: Chart, options: MermaidOptions = {}): string {
  const isFull = options.detail === 'full';
  const all = drawnGraph(chart);
  const nodes = isFull ? all : chartGraph(overviewOf(chart));
  const looks = new Map<GraphNode, MermaidLook>();
  for (const node of nodes.slice(1)) {
    // The key of an overview node has the index of the original node.
    const { meta } = (all[isFull ? node.index : Number(node.key.slice(1))] ?? node).node;
    const sort = meta && sortOf(meta);
    const name = drawnName(node);
    const look = options.lookOf?.({
      kind: node.kind,
      name,
      ...(sort === undefined ? {} : { sort }),
    });
    if (look && isDrawn(node)) looks.set(node, look);
  }
  const root = nodes[0]!;
  const isEnd: IsEnd = (source, target) =>
    !isFull && isInside(source, target) && (isRegion(target) || isRedirected(target));
  const lines = ['stateDiagram-v2'];
  if (options.direction) lines.push(`  direction ${options.direction}`);
  if (root.kind === 'parallel')
    lines.push(`  [*] --> ${idOf(root)}`, ...declaration(root, '  ', isEnd));
  else lines.push(...block(root, '  ', isEnd));
  if (!isFull) lines.push(...entries(chart, all, nodes));
  lines.push(...arrows(nodes, isEnd), ...sequences(looks), ...classes(looks));
  return `${lines.join('\n')}\n`;
}

/** The beginnings besides the initial state, if they are outermost states. A block shows only beginnings within it. */
function entries(
  chart: Chart,
  all: readonly GraphNode[],
  nodes: readonly GraphNode[],
): readonly string[] {
  return entriesOf(chart, all).flatMap(({ name, target: { index } }) => {
    const target = nodes.find(({ key, parent }) => key === `n${index}` && parent === nodes[0]);
    return target ? [`  [*] --> ${idOf(target)} : ${escaped(cut(name, longestName))}`] : [];
  });
}

/** The content of a node. */
function block(node: GraphNode, indent: string, isEnd: IsEnd): string[] {
  const children = node.children.filter(isDrawn);
  if (node.kind === 'parallel') {
    return children.flatMap((region, index) => [
      ...(index > 0 ? [`${indent}--`] : []),
      ...declaration(region, indent, isEnd),
    ]);
  }
  const { initial } = node;
  return [
    ...(initial && isDrawn(initial) ? [`${indent}[*] --> ${idOf(arrowEnd(initial))}`] : []),
    ...children.flatMap((child) => declaration(child, indent, isEnd)),
    ...children
      .filter(
        (child) =>
          child.kind === 'final' ||
          // The arrow of a redirected state would move the node within it out of it.
          (!isRedirected(child) &&
            targetsOf(child).some((target) => target === node && isEnd(child, node))),
      )
      .map((child) => `${indent}${idOf(child)} --> [*]`),
  ];
}

function declaration(node: GraphNode, indent: string, isEnd: IsEnd): string[] {
  // Always with a label: Mermaid misreads `state a` before a line that opens a block.
  const head = `${indent}state "${label(node)}" as ${idOf(node)}`;
  if (!isComposite(node)) return [head];
  return [`${head} {`, ...block(node, `${indent}  `, isEnd), `${indent}}`];
}

function arrows(nodes: readonly GraphNode[], isEnd: IsEnd): string[] {
  const lines = new Set<string>();
  const hidden = hiddenNodes(nodes);
  const [root] = nodes;
  for (const source of nodes) {
    if (hidden.has(source)) continue;
    for (const { event, edges } of source.lists) {
      for (const { transition, targets } of edges) {
        for (const target of targets) {
          if (hidden.has(target) || (target === root && root.kind !== 'parallel')) continue;
          if (isEnd(source, target)) continue;
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

/** Arrows between the tasks of a state that are done in order, unless it has arrows inside. */
function sequences(looks: ReadonlyMap<GraphNode, MermaidLook>): string[] {
  return [...looks].flatMap(([node, { isOrdered }]) => {
    const tasks = node.children.filter(isDrawn);
    const hasArrows = tasks.some(({ lists }) => lists.length > 0);
    if (!isOrdered || node.kind !== 'compound' || hasArrows) return [];
    return tasks.slice(1).map((task, index) => `  ${idOf(tasks[index]!)} --> ${idOf(task)}`);
  });
}

/** The looks, and the nodes that have each look. Mermaid does not apply a look to a state that contains others. */
function classes(looks: ReadonlyMap<GraphNode, MermaidLook>): string[] {
  const members = new Map<string, { readonly look: MermaidLook; readonly ids: string[] }>();
  for (const [node, look] of looks) {
    if (isComposite(node)) continue;
    const known = members.get(look.name);
    if (known) known.ids.push(idOf(node));
    else members.set(look.name, { look, ids: [idOf(node)] });
  }
  return [...members.values()].flatMap(({ look: { name, style }, ids }) => [
    `  classDef ${name} ${style}`,
    `  class ${ids.join(',')} ${name}`,
  ]);
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

function isRedirected(node: GraphNode): boolean {
  return arrowEnd(node) !== node;
}

function isRegion({ parent }: GraphNode): boolean {
  return parent?.kind === 'parallel';
}

function isInside({ parent }: GraphNode, outer: GraphNode): boolean {
  return parent !== undefined && (parent === outer || isInside(parent, outer));
}

function targetsOf({ lists }: GraphNode): readonly GraphNode[] {
  return lists.flatMap(({ edges }) => edges.flatMap(({ targets }) => targets));
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
