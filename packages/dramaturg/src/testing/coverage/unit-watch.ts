import { type Chart, type Compiled, isRecord, type Path, type Source } from '@dramaturg/compiler';
import {
  chartsOf,
  type CoverageUnit,
  originOf,
  type Reference,
  unitKey,
  unitsOf,
} from '@dramaturg/compiler/chart';
import type { Scope } from '@dramaturg/compiler/format';
import type { Behaviour, World } from '@dramaturg/compiler/machine';
import type { InstanceHistory } from '@dramaturg/host/browser';

type Inspect = NonNullable<ConstructorParameters<typeof InstanceHistory>[0]['inspect']>;

/** A node or a transition of XState with the meta of the chart. */
interface WithMeta {
  readonly meta?: { readonly origin?: Path };
  /** The node around a node. */
  readonly parent?: WithMeta;
  /** The node of a transition. */
  readonly source?: WithMeta;
}

/** Reports the units of a definition that running machines reach, by their keys. */
export class UnitWatch {
  readonly #onUnit: (key: string) => void;
  readonly #units: ReadonlyMap<string, CoverageUnit>;
  /** The machines of the definition: its own, and those of its items. */
  readonly #machines: ReadonlySet<string>;

  constructor(chart: Chart, onUnit: (key: string) => void) {
    this.#onUnit = onUnit;
    this.#machines = new Set(chartsOf(chart).map((each) => each.id));
    this.#units = unitsOf(chart);
  }

  /** Observes the actors of a linked machine. */
  readonly inspect: Inspect = (happening) => {
    if (happening.type !== '@xstate.microstep' && happening.type !== '@xstate.snapshot') return;
    // Only microsteps have transitions; the first states of an actor are only in its snapshot.
    const { snapshot, _transitions = [] } = happening as unknown as {
      readonly snapshot: {
        readonly machine?: { readonly id: string };
        readonly _nodes?: readonly WithMeta[];
      };
      readonly _transitions?: readonly WithMeta[];
    };
    // The lifecycle of an instance has places of its own.
    if (!this.#machines.has(snapshot.machine?.id ?? '')) return;
    // In the order in which they are passed: an actor that begins passes states before its first snapshot.
    for (const transition of _transitions) {
      for (let node = transition.source; node; node = node.parent) this.#hit('state', node);
      this.#hit('transition', transition);
      this.#hitFrom(transition);
    }
    // oxlint-disable-next-line no-underscore-dangle -- XState has no public name for the active nodes.
    for (const node of snapshot._nodes ?? []) this.#hit('state', node);
  };

  /**
   * The behaviour of the definition, with guards that report when they do not hold, and operands of conditions. For charts from
   * `withGuardOrigins`.
   */
  watched(behaviour: Behaviour): Behaviour {
    const guards = Object.entries(behaviour.guards).map(([type, guard]) => [
      type,
      ((scope, params) => {
        const { [originParam]: given, ...own } = Object(params) as Record<string, unknown>;
        const path = given as Path | undefined;
        const holds = guard(path ? this.#observed(scope, path) : scope, own);
        if (!holds && path) this.#onUnit(unitKey({ kind: 'condition', path }));
        return holds;
      }) satisfies Behaviour['guards'][string],
    ]);
    const actions = Object.entries(behaviour.actions).map(([type, action]) => [
      type,
      ((scope, params) =>
        action(this.#observed(scope, []), params)) satisfies Behaviour['actions'][string],
    ]);
    return {
      ...behaviour,
      guards: Object.fromEntries(guards),
      actions: Object.fromEntries(actions),
    };
  }

  /** A scope whose world reports operands of conditions. */
  #observed(scope: Scope, around: Path): Scope {
    const onOperand: World['onOperand'] = (at, holds) =>
      this.#onUnit(unitKey({ kind: 'operand', path: [...around, ...at], holds }));
    return { ...scope, world: Object.create(scope.world, { onOperand: { value: onOperand } }) };
  }

  /** Reports a transition that counts separately for each state that it leaves. */
  #hitFrom({ meta, source }: WithMeta): void {
    const path = originOf({ meta: meta as never });
    let state = source;
    while (state && !originOf({ meta: state.meta as never })) state = state.parent;
    const from = state && originOf({ meta: state.meta as never });
    const key = path && from && unitKey({ kind: 'transition', path, from });
    if (key !== undefined && this.#units.has(key)) this.#onUnit(key);
  }

  #hit(kind: CoverageUnit['kind'], { meta }: WithMeta): void {
    const path = originOf({ meta: meta as never });
    if (path) this.#onUnit(unitKey({ kind, path }));
  }
}

/** The parameter of a guard that has the place of its transition: it distinguishes equal guards of several transitions. */
const originParam = 'x-origin';

/** The chart with the place of its transition in each guard. Only a watched behaviour can run it. */
export function withGuardOrigins<Part>(part: Part): Part {
  if (Array.isArray(part)) return part.map((each: unknown) => withGuardOrigins(each)) as Part;
  if (!isRecord(part)) return part;
  const { guard, meta } = part as { readonly guard?: Reference } & WithMeta;
  const path = originOf({ meta: meta as never });
  const entries = Object.entries(part).map(([name, inner]) => {
    if (name !== 'guard' || !guard || !path) return [name, withGuardOrigins(inner)];
    return [name, { ...guard, params: { ...guard.params, [originParam]: path } }];
  });
  return Object.fromEntries(entries) as Part;
}

/** The place of a state in its definition; nothing when no author wrote it. */
export function statePlace(
  { chart, source }: Compiled,
  state: string,
): { readonly line?: number; readonly column?: number } {
  for (const { kind, label, path } of unitsOf(chart!).values())
    if (kind === 'state' && isNamed(source.value, path, label, state)) return placeOf(source, path);
  return {};
}

/** Formats name a state by its key in an object, or by a field. */
const nameFields = ['id', 'name', 'state_key', 'key'];

function isNamed(definition: unknown, path: Path, label: string, state: string): boolean {
  if (label === state || path.at(-1) === state) return true;
  const value = path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? Object(inner)[key] : undefined),
    definition,
  );
  return isRecord(value) && nameFields.some((field) => value[field] === state);
}

/** The line and the column where the value at a path begins. */
export function placeOf(source: Source, path: Path): { line: number; column: number } {
  const { line, column } = source.locate(path).start;
  return { line, column };
}
