import { type Chart, isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import type { Behaviour } from '@dramaturg/compiler/machine';
import type { Assessment, MigrationMap } from '../migration/migration.ts';
import { ChartPlaces, StateWalk } from './state-walk.ts';
import { Findings } from '../migration/findings.ts';

/** The snapshot of a machine in the new version of its chart. */
export interface MigratedSnapshot extends Assessment {
  /** Meaningless when the verdict is `blocked`. */
  readonly snapshot: Json;
  /** The states and the open calls that it had: apart from their data, snapshots with the same shape have the same result. */
  readonly shape: string;
}

/** The states of snapshots with one shape in the new chart. */
interface WalkedStates {
  readonly shape: string;
  readonly findings: Findings;
  readonly value: Json;
  readonly history?: JsonObject;
  readonly callIds: ReadonlyMap<string, string>;
}

/** How many shapes are kept in memory. */
const knownMax = 1_000;

/** Translates snapshots of one version of a chart to another version. Reads both charts once. */
export class SnapshotMigration {
  readonly #from: ChartPlaces;
  readonly #to: ChartPlaces;
  readonly #behaviour: Behaviour;
  readonly #map: MigrationMap;
  readonly #known = new Map<string, WalkedStates>();

  constructor(from: Chart, to: Chart, behaviour: Behaviour, map: MigrationMap) {
    this.#from = new ChartPlaces(from);
    this.#to = new ChartPlaces(to);
    this.#behaviour = behaviour;
    this.#map = map;
  }

  /**
   * Translates a snapshot to the new chart, with an assessment. Nothing runs: states keep their open calls and timers, with the
   * original input.
   */
  of(snapshot: Json): MigratedSnapshot {
    if (!isRecord(snapshot)) return { ...new Findings().assessment, snapshot, shape: '' };
    const { children, context } = snapshot;
    const { shape, findings: found, value, history, callIds } = this.#walked(snapshot);
    const findings = found.copy();
    const migrated: JsonObject = {
      ...snapshot,
      value,
      ...(isRecord(children) && { children: withIds(children, callIds) }),
      ...(history && { historyValue: history }),
      context: this.#context(context ?? null, findings),
    };
    return { ...findings.assessment, snapshot: migrated, shape };
  }

  /** The result for the states of a snapshot, cached because many instances are in the same states. */
  #walked({ value = null, children, historyValue }: JsonObject): WalkedStates {
    const openCalls = openCallsIn(children);
    const shape = JSON.stringify([value, historyValue ?? null, openCalls]);
    const known = this.#known.get(shape);
    if (known) return known;
    const findings = new Findings();
    const walk = new StateWalk(
      this.#from,
      this.#to,
      { map: this.#map, asks: this.#behaviour.migration?.asks },
      new Set(openCalls),
      findings,
    );
    const walked: WalkedStates = {
      shape,
      findings,
      value: walk.value(value),
      callIds: walk.callIds,
      ...(isRecord(historyValue) && { history: walk.history(historyValue) }),
    };
    if (this.#known.size < knownMax) this.#known.set(shape, walked);
    return walked;
  }

  #context(context: Json, findings: Findings): Json {
    const { states = {}, data = {} } = this.#map;
    const { migration } = this.#behaviour;
    const hasNames = Object.keys(states).length > 0 || Object.keys(data).length > 0;
    if (!migration) {
      if (hasNames) findings.block('Its format cannot give other names to states and data.');
      return context;
    }
    const given = hasNames ? (migration.renamed(context, { states, data }) as Json) : context;
    const fitted = migration.fitted(given, { from: this.#from.chart, to: this.#to.chart });
    for (const loss of fitted.losses ?? []) findings.lose(loss);
    for (const note of fitted.notes ?? []) findings.note(note);
    for (const block of fitted.blocks ?? []) findings.block(block);
    for (const [name, to] of Object.entries(data)) if (to === null) findings.lose(`"${name}".`);
    return fitted.context as Json;
  }
}

/** The ids of open calls. */
function openCallsIn(children: Json | undefined): readonly string[] {
  return Object.entries(isRecord(children) ? children : {}).flatMap(([id, child]) => {
    const { snapshot } = Object(child) as { readonly snapshot?: Json };
    return isRecord(snapshot) && snapshot['status'] === 'active' ? [id] : [];
  });
}

/** The actors of calls, under the ids of the new chart. */
function withIds(children: JsonObject, ids: ReadonlyMap<string, string>): JsonObject {
  return Object.fromEntries(
    Object.entries(children).map(([id, child]) => [ids.get(id) ?? id, child]),
  );
}
