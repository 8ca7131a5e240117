import type { Chart } from '../chart/chart.ts';
import { drawingOf } from '../export/drawing.ts';
import type { DrawnEdge, DrawnNode } from '../export/drawn.ts';
import { escaped } from '../export/mermaid.ts';
import type { Path } from '../json.ts';
import type { DefinitionChange } from './compare-definitions.ts';

type Mark = 'added' | 'removed' | 'changed';

/** A state of either chart. */
interface BothNode {
  readonly node: DrawnNode;
  readonly parent: string | undefined;
  readonly children: string[];
  mark: Mark | undefined;
}

const styles: Readonly<Record<Mark, string>> = {
  added: 'fill:#dafbe1,stroke:#1a7f37,color:#0b3d1a',
  removed: 'fill:#ffebe9,stroke:#cf222e,color:#5c0f14,stroke-dasharray:5 5',
  changed: 'fill:#fff8c5,stroke:#9a6700,color:#3b2900',
};

/** Marks arrows, which Mermaid cannot colour in state diagrams, and helps people who cannot tell the colours apart. */
const signs: Readonly<Record<Mark, string>> = { added: '+', removed: '−', changed: '~' };

/**
 * Draws two versions of a definition in one Mermaid diagram: added states are green, removed ones red and dashed, changed ones
 * yellow. Their names and the labels of arrows begin with `+`, `−` and `~`.
 */
export function comparisonMermaid(
  before: Chart,
  after: Chart,
  changes: readonly DefinitionChange[],
): string {
  const [one, other] = [drawingOf(before), drawingOf(after)];
  const newIds = idsOf(other.nodes, () => undefined);
  const oldIds = idsOf(one.nodes, renamedKeys(one.nodes, other.nodes, changes));
  const nodes = new Map<string, BothNode>();
  for (const [drawn, ids, mark] of [
    [other.nodes, newIds, 'added'],
    [one.nodes, oldIds, 'removed'],
  ] as const) {
    for (const node of drawn) {
      const id = ids.get(node.id)!;
      const known = nodes.get(id);
      if (known) {
        if (mark === 'removed') known.mark = undefined;
        continue;
      }
      const parent = node.parent === undefined ? undefined : ids.get(node.parent);
      nodes.set(id, { node, parent, children: [], mark });
      if (parent !== undefined) nodes.get(parent)!.children.push(id);
    }
  }
  for (const each of changes) {
    const changed = each.new && innermostAt(other.nodes, each.new.path);
    const node = changed && nodes.get(newIds.get(changed.id)!);
    if (node) node.mark ??= 'changed';
  }
  return new BothWriter(nodes).text(edgesIn(one.edges, oldIds), edgesIn(other.edges, newIds));
}

/** Names of nodes that both drawings share: the keys of the drawn nodes from the outermost one. */
function idsOf(
  nodes: readonly DrawnNode[],
  renamed: (node: DrawnNode) => string | undefined,
): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  for (const node of nodes) {
    const around = node.parent === undefined ? '' : ids.get(node.parent)!;
    ids.set(node.id, JSON.stringify([around, renamed(node) ?? node.path.at(-1) ?? node.id]));
  }
  return ids;
}

/** The new keys of states that were renamed. */
function renamedKeys(
  before: readonly DrawnNode[],
  after: readonly DrawnNode[],
  changes: readonly DefinitionChange[],
): (node: DrawnNode) => string | undefined {
  const keys = new Map<string, string>();
  for (const each of changes) {
    if (each.change !== 'renamed') continue;
    const [one, other] = [nodeAt(before, each.old!.path), nodeAt(after, each.new!.path)];
    if (one && other) keys.set(one.id, other.path.at(-1)!);
  }
  return ({ id }) => keys.get(id);
}

function nodeAt(nodes: readonly DrawnNode[], path: Path): DrawnNode | undefined {
  return nodes.find(({ origin }) => origin && isWithin(path, origin) && isWithin(origin, path));
}

/** The innermost state that contains a place. */
function innermostAt(nodes: readonly DrawnNode[], path: Path): DrawnNode | undefined {
  return nodes
    .filter(({ origin }) => origin && origin.length > 0 && isWithin(path, origin))
    .toSorted((a, b) => b.origin!.length - a.origin!.length)[0];
}

function isWithin(path: Path, around: Path): boolean {
  return around.every((key, index) => path[index] === key);
}

/** Arrows by a key that identifies them, with the shared names of their ends. */
function edgesIn(edges: readonly DrawnEdge[], ids: ReadonlyMap<string, string>) {
  return new Map(
    edges.map(({ source, target, label }) => {
      const [from, to] = [ids.get(source)!, ids.get(target)!];
      return [JSON.stringify([from, to, label]), { from, to, label }] as const;
    }),
  );
}

type Edges = ReturnType<typeof edgesIn>;

class BothWriter {
  readonly #nodes: ReadonlyMap<string, BothNode>;
  readonly #ids: ReadonlyMap<string, string>;

  constructor(nodes: ReadonlyMap<string, BothNode>) {
    this.#nodes = nodes;
    this.#ids = new Map(Array.from(nodes.keys(), (id, index) => [id, `s${index}`]));
  }

  text(before: Edges, after: Edges): string {
    const outermost = [...this.#nodes].filter(([, { parent }]) => parent === undefined);
    const lines = ['stateDiagram-v2', ...outermost.flatMap(([id]) => this.#block(id, '  '))];
    for (const [key, edge] of after)
      lines.push(this.#arrow(edge, before.has(key) ? '' : `${signs.added} `));
    for (const [key, edge] of before)
      if (!after.has(key)) lines.push(this.#arrow(edge, `${signs.removed} `));
    for (const [mark, style] of Object.entries(styles)) {
      const marked = [...this.#nodes].filter(([, node]) => node.mark === mark);
      if (marked.length === 0) continue;
      const ids = marked.map(([id]) => this.#ids.get(id)!).join(',');
      lines.push(`  classDef ${mark} ${style}`, `  class ${ids} ${mark}`);
    }
    return `${lines.join('\n')}\n`;
  }

  #block(id: string, indent: string): readonly string[] {
    const { node, children, mark } = this.#nodes.get(id)!;
    const name = escaped(`${mark ? `${signs[mark]} ` : ''}${node.name}`) || this.#ids.get(id)!;
    const head = `${indent}state "${name}" as ${this.#ids.get(id)!}`;
    const end = node.kind === 'final' ? [`${indent}${this.#ids.get(id)!} --> [*]`] : [];
    if (children.length === 0) return [head, ...end];
    const inner = children.map((child, index) => [
      ...(node.kind === 'parallel' && index > 0 ? [`${indent}  --`] : []),
      ...this.#block(child, `${indent}  `),
    ]);
    return [`${head} {`, ...inner.flat(), `${indent}}`];
  }

  #arrow({ from, to, label }: { from: string; to: string; label: string }, sign: string): string {
    const [source, target] = [from, to].map((id) => this.#ids.get(this.#end(id))!);
    const text = escaped(`${sign}${label}`);
    return `  ${source} --> ${target}${text === '' ? '' : ` : ${text}`}`;
  }

  /** Mermaid fails on arrows to a composite inside a region, so they use the first state in it. */
  #end(id: string): string {
    let at = id;
    while (this.#nodes.get(at)!.children.length > 0 && this.#isInRegion(id))
      at = this.#nodes.get(at)!.children[0]!;
    return at;
  }

  /** A region may have arrows itself, unless it has regions again. */
  #isInRegion(id: string): boolean {
    const { node, parent } = this.#nodes.get(id)!;
    let at = node.kind === 'parallel' ? id : parent;
    while (at !== undefined) {
      const around = this.#nodes.get(at)!.parent;
      if (around !== undefined && this.#nodes.get(around)!.node.kind === 'parallel') return true;
      at = around;
    }
    return false;
  }
}
