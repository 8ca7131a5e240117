import { type Chart, isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import type { ChartInvoke, ChartNode, NodeMeta } from '@dramaturg/compiler/chart';
import { type ItemCounts, itemCountsOf, runningItemsOf } from '@dramaturg/compiler/machine';
import { childIn, contextIn, stateValueIn } from './persisted-snapshot.ts';
import { pathInItem, pathInside, type StatePath } from './state-paths.ts';

/** A state in which a stored machine rests. */
export interface StateAtRest extends StatePath {
  /** The context of its machine; inside a state that runs items, the context of the item. */
  readonly context: Json;
  /** The ids of the nodes from the root of the machine to the state, inclusive. */
  readonly nodes: readonly string[];
  readonly meta: ReadonlyMap<string, NodeMeta>;
  /** The tags of the nodes in which it rests. */
  readonly tags: readonly string[];
  /** The open calls of the state itself. */
  readonly calls: readonly CallAtRest[];
  /** The items that it runs. */
  readonly items?: ItemCounts;
  /** The runner of its items: a stored supervisor and the chart of an item. */
  readonly supervisor?: { readonly snapshot: Json; readonly chart: Chart };
}

export interface CallAtRest {
  /** The id of the call in the chart. */
  readonly id: string;
  readonly port: string;
  readonly input: JsonObject;
}

/**
 * The states in which a machine and the machines of its items rest, in the order of the definition. None after its end.
 *
 * @param around the state that runs the machine for an item
 */
export function statesAtRest(
  chart: Chart,
  snapshot: Json | undefined,
  around: StatePath = { path: [] },
): StateAtRest[] {
  const drafts: Draft[] = [];
  new Machine(chart, snapshot ?? null, drafts).visit(around);
  return drafts
    .filter(({ rests, calls }) => rests || calls.length > 0)
    .map(({ rests: _rests, ...state }) => state);
}

type Draft = Omit<StateAtRest, 'tags' | 'calls' | 'items' | 'supervisor'> & {
  readonly tags: string[];
  readonly calls: CallAtRest[];
  items?: ItemCounts;
  supervisor?: NonNullable<StateAtRest['supervisor']>;
  /** Whether the machine rests in a node of the state itself, and not of a state inside it. */
  rests: boolean;
};

/** A stored machine with its chart. Adds its active states to `drafts`. */
class Machine {
  readonly #chart: Chart;
  readonly #snapshot: Json;
  readonly #drafts: Draft[];
  readonly #meta = new Map<string, NodeMeta>();

  constructor(chart: Chart, snapshot: Json, drafts: Draft[]) {
    this.#chart = chart;
    this.#snapshot = snapshot;
    this.#drafts = drafts;
  }

  visit(around: StatePath): void {
    if (!isRecord(this.#snapshot) || this.#snapshot['status'] !== 'active') return;
    this.#learn(this.#chart);
    const draft = this.#draft(around, [this.#chart.id]);
    this.#visitNode(this.#chart, stateValueIn(this.#snapshot), draft, []);
  }

  #learn(node: ChartNode): void {
    if (node.id !== undefined && node.meta) this.#meta.set(node.id, node.meta);
    for (const child of Object.values(node.states ?? {})) this.#learn(child);
  }

  #draft({ path, origin }: StatePath, nodes: readonly string[]): Draft {
    const draft: Draft = {
      path,
      ...(origin && { origin }),
      context: contextIn(this.#snapshot),
      nodes,
      meta: this.#meta,
      tags: [],
      calls: [],
      rests: false,
    };
    this.#drafts.push(draft);
    return draft;
  }

  /**
   * @param around the state that the node is a part of
   * @param above the ids of the nodes above
   */
  #visitNode(node: ChartNode, value: Json, around: Draft, above: readonly string[]): void {
    const nodes = node.id === undefined ? above : [...above, node.id];
    const path = pathInside(around, node);
    const draft = path === around ? around : this.#draft(path, nodes);
    draft.tags.push(...(node.tags ?? []));
    for (const invoke of node.invoke ?? []) this.#visitCall(invoke, draft);
    const children = childrenOf(node, value);
    if (children.length === 0 && node.type !== 'final') draft.rests = true;
    for (const [child, inner] of children) this.#visitNode(child, inner, draft, nodes);
  }

  #visitCall({ id, src, chart }: ChartInvoke, draft: Draft): void {
    const inner = childIn(this.#snapshot, id);
    if (!isRecord(inner) || inner['status'] !== 'active') return;
    if (chart === undefined) {
      if (isRecord(inner['input'])) draft.calls.push({ id, port: src, input: inner['input'] });
      return;
    }
    draft.items = itemCountsOf(inner);
    draft.supervisor = { snapshot: inner, chart };
    for (const { index, snapshot } of runningItemsOf(inner))
      new Machine(chart, snapshot, this.#drafts).visit(pathInItem(draft, index));
  }
}

function childrenOf(
  { states = {} }: ChartNode,
  value: Json,
): readonly (readonly [node: ChartNode, value: Json])[] {
  const entries =
    typeof value === 'string' ? [[value, null] as const] : Object.entries(value ?? {});
  return entries.flatMap(([key, inner]) =>
    Object.hasOwn(states, key) ? [[states[key]!, inner as Json] as const] : [],
  );
}
