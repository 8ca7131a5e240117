import { type Chart, isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { type ChartInvoke, type ChartNode, nodeKey, nodeName } from '@dramaturg/compiler/chart';
import type { ContextMigration } from '@dramaturg/compiler/machine';
import type { Findings } from '../migration/findings.ts';
import type { MigrationMap } from '../migration/migration.ts';

/** The keys of a node from the root of its chart. */
type NodeKeys = readonly string[];

/** Finds the nodes of a chart by their keys and ids, and the counterpart of a node in another chart. */
export class ChartPlaces {
  readonly chart: Chart;
  readonly #keys = new Map<string, NodeKeys>();

  constructor(chart: Chart) {
    this.chart = chart;
    const pending: [ChartNode, NodeKeys][] = [[chart, []]];
    for (const [node, keys] of pending) {
      this.#keys.set(this.idAt(keys, node), keys);
      for (const [key, child] of Object.entries(node.states ?? {}))
        pending.push([child, [...keys, key]]);
    }
  }

  nodeAt(keys: NodeKeys): ChartNode | undefined {
    let at: ChartNode | undefined = this.chart;
    for (const key of keys) at = at && ownNode(at, key);
    return at;
  }

  /** The id of a node in XState. */
  idAt(keys: NodeKeys, node = this.nodeAt(keys)): string {
    return node?.id ?? [this.chart.id, ...keys].join('.');
  }

  keysOf(id: string): NodeKeys | undefined {
    return this.#keys.get(id);
  }
}

/** The child of a node. Keys are authored names, so only own properties count (H8). */
function ownNode({ states = {} }: ChartNode, key: string): ChartNode | undefined {
  return Object.hasOwn(states, key) ? states[key] : undefined;
}

/** The key of a node in the new version of its chart: its own, unless it was renamed. */
function newKeyOf(
  key: string,
  around: ChartNode | undefined,
  names: Readonly<Record<string, string>> = {},
): string {
  if (around && ownNode(around, key)) return key;
  const old = nodeName({}, key);
  return Object.hasOwn(names, old) ? nodeKey(names[old]!) : key;
}

/** The name of a state for people: of the nearest enclosing node that the author wrote, or of the definition. */
function authoredName(places: ChartPlaces, keys: NodeKeys): string {
  for (let length = keys.length; length > 0; length -= 1) {
    const node = places.nodeAt(keys.slice(0, length));
    if (node?.meta?.origin && node.meta.origin.length > 0) return nodeName({}, keys[length - 1]!);
  }
  return nodeName(places.chart, '');
}

/** Follows the active states of one snapshot through both charts. */
export class StateWalk {
  readonly #from: ChartPlaces;
  readonly #to: ChartPlaces;
  readonly #map: MigrationMap;
  readonly #asks: ContextMigration['asks'];
  readonly #openCalls: ReadonlySet<string>;
  readonly #findings: Findings;
  /** The ids of calls in the new chart, by their old ones. */
  readonly #callIds = new Map<string, string>();

  constructor(
    from: ChartPlaces,
    to: ChartPlaces,
    { map, asks }: { readonly map: MigrationMap; readonly asks: ContextMigration['asks'] },
    openCalls: ReadonlySet<string>,
    findings: Findings,
  ) {
    this.#from = from;
    this.#to = to;
    this.#map = map;
    this.#asks = asks;
    this.#openCalls = openCalls;
    this.#findings = findings;
  }

  value(value: Json): Json {
    this.#compare([], [], value);
    return this.#inside(value, [], []);
  }

  #inside(value: Json, from: NodeKeys, to: NodeKeys): Json {
    const [before, after] = [this.#from.nodeAt(from)!, this.#to.nodeAt(to)!];
    const active: readonly (readonly [string, Json])[] =
      typeof value === 'string' ? [[value, {}]] : isRecord(value) ? Object.entries(value) : [];
    const isParallel = after.type === 'parallel';
    if (active.length > 0 && isParallel !== (before.type === 'parallel')) {
      this.#findings.block(`The state "${authoredName(this.#from, from)}" is of another kind.`);
      return value;
    }
    if (active.length === 0 && after.states && Object.keys(after.states).length > 0)
      this.#findings.block(`The state "${authoredName(this.#from, from)}" has states inside now.`);
    const entries = active.flatMap(([key, inner]) => {
      const newKey = newKeyOf(key, after, this.#map.states);
      const [one, other] = [
        [...from, key],
        [...to, newKey],
      ];
      if (!ownNode(after, newKey)) {
        if (isParallel)
          this.#findings.lose(`How far "${authoredName(this.#from, one)}" was: it is gone.`);
        else this.#findings.block(`There is no state "${authoredName(this.#from, one)}" any more.`);
        return [];
      }
      if (newKey !== key)
        this.#findings.note(
          `The state "${authoredName(this.#from, one)}" is "${authoredName(this.#to, other)}" now.`,
        );
      this.#compare(one, other, inner);
      return [[newKey, this.#inside(inner, one, other)] as const];
    });
    if (isParallel)
      entries.push(...this.#newRegions(to, after, new Set(entries.map(([key]) => key))));
    const [only] = entries;
    if (!isParallel && only && isRecord(only[1]) && Object.keys(only[1]).length === 0)
      return only[0];
    return Object.fromEntries(entries);
  }

  /** Regions that the old version does not have begin at their start, if that needs no action. */
  #newRegions(
    keys: NodeKeys,
    { states = {} }: ChartNode,
    known: ReadonlySet<string>,
  ): readonly (readonly [string, Json])[] {
    return Object.entries(states)
      .filter(([key, { type }]) => !known.has(key) && type !== 'history')
      .map(([key, node]) => {
        const name = authoredName(this.#to, [...keys, key]);
        const value = initialValue(node);
        if (value === undefined) this.#findings.block(`"${name}" is new, and has to be begun.`);
        else this.#findings.note(`"${name}" is new, and is open.`);
        return [key, value ?? {}] as const;
      });
  }

  /** Compares an active node with its counterpart. @param value the active nodes inside it */
  #compare(from: NodeKeys, to: NodeKeys, value: Json): void {
    const [before, after] = [this.#from.nodeAt(from)!, this.#to.nodeAt(to)!];
    const name = authoredName(this.#from, from);
    if ((before.type ?? '') !== (after.type ?? ''))
      this.#findings.block(`The state "${name}" is of another kind.`);
    const isAuthored = hasOrigin(before);
    // The innermost authored state has to have the same meaning as a whole. Of the states around it, only the parts that apply inside it.
    const isInnermost = isAuthored && !hasAuthoredInside(before, value);
    if (!(isInnermost ? isSameNode(before, after) : isSameSelf(before, after)))
      this.#findings.note(
        this.#isInState(from)
          ? `The state "${name}" has changed.`
          : 'What holds in all states has changed.',
      );
    const isRenamed = from.some((key, index) => key !== to[index]);
    const asksAlike = this.#askedBy(this.#from, from) === this.#askedBy(this.#to, to);
    this.#compareCalls(before.invoke ?? [], after.invoke ?? [], { name, isRenamed, asksAlike });
  }

  #compareCalls(
    before: readonly ChartInvoke[],
    after: readonly ChartInvoke[],
    {
      name,
      isRenamed,
      asksAlike,
    }: { readonly name: string; readonly isRenamed: boolean; readonly asksAlike: boolean },
  ): void {
    const open = before.filter(({ id }) => this.#openCalls.has(id));
    for (const call of open) {
      // The id of a call may contain the name of its state.
      const other = after[before.indexOf(call)];
      const counterpart =
        after.find(({ id, src }) => id === call.id && src === call.src) ??
        (isRenamed && other?.src === call.src ? other : undefined);
      if (!counterpart) {
        this.#findings.block(
          `It waits in "${name}" for a call of "${call.src}" that the new version does not make.`,
        );
        continue;
      }
      this.#callIds.set(call.id, counterpart.id);
      if (asksAlike && isSameNode({ invoke: [call] }, { invoke: [counterpart] })) continue;
      if (call.chart)
        this.#findings.block(
          `"${name}" works on items, and what it does with an item has changed.`,
        );
      else if (this.#map.calls === 'block')
        this.#findings.block(`It waits in "${name}" for a call of "${call.src}" that has changed.`);
      else
        this.#findings.note(`Its open call of "${call.src}" in "${name}" goes on as it was made.`);
    }
    const isNew = ({ id, src }: ChartInvoke, index: number) =>
      !before.some((call) => call.id === id && call.src === src) &&
      !(isRenamed && before[index]?.src === src);
    for (const { src } of after.filter(isNew))
      this.#findings.block(`"${name}" makes a call of "${src}" now, which would not be made.`);
  }

  /** The parts of the enclosing authored state that the calls of a node depend on. */
  #askedBy(places: ChartPlaces, keys: NodeKeys): string {
    for (let { length } = keys; length > 0; length -= 1) {
      const node = places.nodeAt(keys.slice(0, length));
      if (node && hasOrigin(node)) return JSON.stringify(this.#asks?.(node.meta!) ?? null);
    }
    return 'null';
  }

  /** Whether a node is an authored state, or inside one. */
  #isInState(keys: NodeKeys): boolean {
    return keys.some((_, index) => hasOrigin(this.#from.nodeAt(keys.slice(0, index + 1))!));
  }

  /** The ids of open calls in the new chart, by their old ones. Complete after `value`. */
  get callIds(): ReadonlyMap<string, string> {
    return this.#callIds;
  }

  /** The states that history nodes remember. */
  history(history: JsonObject): JsonObject {
    return Object.fromEntries(
      Object.entries(history).flatMap(([id, remembered]) => {
        const to = this.#counterpart(id);
        const nodes = (Array.isArray(remembered) ? remembered : []).flatMap((each: Json) => {
          const found = isRecord(each) ? this.#counterpart(each['id']) : undefined;
          return found === undefined ? [] : [{ id: found }];
        });
        const isWhole =
          to !== undefined && Array.isArray(remembered) && nodes.length === remembered.length;
        if (!isWhole && Array.isArray(remembered) && remembered.length > 0)
          this.#findings.block('It would return to a state that does not exist any more.');
        return to === undefined ? [] : [[to, nodes] as const];
      }),
    );
  }

  /** The id of a node in the new chart. */
  #counterpart(id: Json | undefined): string | undefined {
    const from = typeof id === 'string' ? this.#from.keysOf(id) : undefined;
    if (!from) return undefined;
    let to: NodeKeys = [];
    for (const key of from) to = [...to, newKeyOf(key, this.#to.nodeAt(to), this.#map.states)];
    return this.#to.nodeAt(to) && this.#to.idAt(to);
  }
}

function hasOrigin({ meta }: ChartNode): boolean {
  return (meta?.origin?.length ?? 0) > 0;
}

/** Whether one of the active nodes inside a node was written by the author. */
function hasAuthoredInside(node: ChartNode, value: Json): boolean {
  const active = typeof value === 'string' ? [[value, {}] as const] : Object.entries(value ?? {});
  return active.some(([key, inner]) => {
    const child = ownNode(node, key);
    return child && (hasOrigin(child) || hasAuthoredInside(child, inner as Json));
  });
}

/** The initial states inside a node; undefined when entering them has an effect. */
function initialValue(node: ChartNode): Json | undefined {
  if (node.entry?.length || node.invoke?.length) return undefined;
  const { states = {}, initial, type } = node;
  if (type === 'parallel') {
    const regions = Object.entries(states).map(
      ([key, child]) => [key, initialValue(child)] as const,
    );
    return regions.some(([, value]) => value === undefined)
      ? undefined
      : (Object.fromEntries(regions) as JsonObject);
  }
  if (initial === undefined) return {};
  const first = ownNode(node, initial);
  const inner = first && initialValue(first);
  if (inner === undefined) return undefined;
  return Object.keys(inner as JsonObject).length === 0 ? initial : { [initial]: inner };
}

/** Whether two nodes have the same meaning, with all nodes in them. Their places in the source do not count. */
function isSameNode(one: ChartNode, other: ChartNode): boolean {
  return canonical(one) === canonical(other);
}

/** Whether two nodes have the same meaning, apart from the nodes in them and from their initial state. */
function isSameSelf(one: ChartNode, other: ChartNode): boolean {
  return canonical(ownPart(one)) === canonical(ownPart(other));
}

/** The fields of a node that apply while it is active. */
function ownPart(node: ChartNode): object {
  const { states: _states, initial: _initial, ...own } = node;
  const {
    context: _context,
    output,
    ...rest
  } = own as typeof own & {
    readonly context?: unknown;
    readonly output?: unknown;
  };
  return { ...rest, output };
}

/** Nodes as strings, cached because both charts of a migration are compared for each of many instances. */
const texts = new WeakMap<object, string>();

function canonical(value: object): string {
  const known = texts.get(value);
  if (known !== undefined) return known;
  const text = JSON.stringify(value, (key, part: unknown) => {
    if (key === 'origin' || key === 'operands') return undefined;
    if (!isRecord(part)) return part;
    return Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
  texts.set(value, text);
  return text;
}
