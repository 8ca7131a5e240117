import type { Behaviours } from '../definitions/behaviours.ts';
import type { Chart } from '@dramaturg/compiler';
import { type Behaviour, nextTurn, realWorld } from '@dramaturg/compiler/machine';
import {
  type Definition,
  isSameVersion,
  requireDefinition,
  versionOf,
} from '../definitions/definition.ts';
import { storedDefinition } from '../definitions/library.ts';
import { HostError } from '../errors.ts';
import { stateOf } from '../instance/snapshot-parts.ts';
import { flowDefinitionOf } from '../instance/state.ts';
import type { DefinitionVersion, Page, PageRequest, StoreReader } from '../store/contract.ts';
import { StoreError } from '../store/errors.ts';
import { durable, type DurableMachine } from '../xstate/machine-actor.ts';
import { FlowMigration } from './flow-migration.ts';
import type { Assessment, MigrationMap } from './migration.ts';

/** The assessment of a migration of an instance. */
export interface InstanceAssessment extends Assessment {
  readonly id: string;
  /** The state of its lifecycle. */
  readonly state: string;
  /** The version of the definition that it runs. */
  readonly version: string;
}

/** The store of the instances, and the code of their formats. */
export interface AssessmentSource {
  readonly store: StoreReader;
  readonly behaviours: Behaviours;
}

/** How many records are assessed in one turn of the event loop. Each takes less than a millisecond. */
const recordsPerTurn = 16;

/**
 * Assesses the instances of a definition that have not ended, the oldest first. The new version does not have to be stored.
 * Instances that already run it are left out.
 *
 * @throws HostError `host/unknown-definition` when a chart names code that this release does not have
 */
export async function assessInstances(
  { store, behaviours }: AssessmentSource,
  to: Definition,
  map: MigrationMap,
  page: PageRequest,
): Promise<Page<InstanceAssessment>> {
  const target = new MigrationTarget(requireDefinition(to), behaviours, map);
  const filter = { kind: 'instance', ended: false, definition: { name: to.name } };
  const { items, next } = await store.list(filter, page);
  const assessed: InstanceAssessment[] = [];
  for (const [index, { id }] of items.entries()) {
    if (index % recordsPerTurn === 0) await nextTurn();
    const assessment = await assess(store, id, target);
    if (assessment) assessed.push(assessment);
  }
  return { items: assessed, ...(next === undefined ? {} : { next }) };
}

async function assess(
  store: StoreReader,
  id: string,
  target: MigrationTarget,
): Promise<InstanceAssessment | undefined> {
  try {
    const record = await store.read(id);
    // It has ended, or was erased, since the list was made.
    if (!record || record.ended) return undefined;
    const state = stateOf(record);
    const flow = flowDefinitionOf(record, state);
    const { version } = flow ?? record.definition!;
    if (isSameVersion(flow ?? record.definition!, target.ref)) return undefined;
    const found = { id, state: record.status, version };
    if (!flow)
      return {
        ...found,
        ...blocked('It is a lifecycle without a flow: its instances keep their version.'),
      };
    const migration = await target.migrationFrom(store, flow);
    const { verdict, because, losses } = migration.of({
      id,
      flow: state.flow,
      input: state.input,
      versions: state.versions,
    });
    return { ...found, verdict, because, losses };
  } catch (error) {
    if (!(error instanceof HostError || error instanceof StoreError)) throw error;
    return { id, state: '', version: '', ...blocked(`It cannot be read: ${error.message}`) };
  }
}

/** A version of a definition, and the migrations to it from each other version. */
class MigrationTarget {
  readonly ref: DefinitionVersion;
  readonly #chart: Chart;
  readonly #behaviour: Behaviour;
  readonly #machine: DurableMachine;
  readonly #map: MigrationMap;
  readonly #migrations = new Map<string, FlowMigration>();

  constructor({ name, chart, lifecycle }: Definition, behaviours: Behaviours, map: MigrationMap) {
    const behaviour = behaviours.get(chart.format);
    if (!behaviour)
      throw new HostError(
        'host/unknown-definition',
        `There is no code for charts of the format ${JSON.stringify(chart.format)}.`,
      );
    const life =
      lifecycle === 'own' ? undefined : { name: lifecycle.id, version: versionOf(lifecycle) };
    this.ref = { name, version: versionOf(chart, life) };
    this.#chart = chart;
    this.#behaviour = behaviour;
    this.#machine = durable(chart, behaviour, { world: realWorld });
    this.#map = map;
  }

  async migrationFrom(store: StoreReader, from: DefinitionVersion): Promise<FlowMigration> {
    const known = this.#migrations.get(from.version);
    if (known) return known;
    const { chart } = await storedDefinition(store, from);
    const migration = new FlowMigration(
      chart,
      this.#chart,
      this.#behaviour,
      this.#machine,
      this.#map,
    );
    this.#migrations.set(from.version, migration);
    return migration;
  }
}

function blocked(because: string): Assessment {
  return { verdict: 'blocked', because: [because], losses: [] };
}
