import type { Chart, Json, JsonObject } from '@dramaturg/compiler';
import type { Behaviour } from '@dramaturg/compiler/machine';
import { badRequest } from '../errors.ts';
import { FlowRun } from '../instance/flow-run.ts';
import { reasonOf } from '../instance/read.ts';
import type { InstanceState } from '../instance/state.ts';
import { type DurableMachine, MachineActor } from '../xstate/machine-actor.ts';
import { type MigratedSnapshot, SnapshotMigration } from '../xstate/migrated.ts';
import { openKeysIn } from '../xstate/persisted-snapshot.ts';
import { type Assessment, type MigrationMap, versionsMax } from './migration.ts';

/** The data of an instance that a migration reads and changes. */
export interface FlowOfInstance {
  readonly id: string;
  /** The snapshot; undefined before the flow has begun. */
  readonly flow: Json | undefined;
  readonly input: JsonObject;
  readonly versions: InstanceState['versions'] | undefined;
}

/** The flow in the new version, and its assessment. */
export interface MigratedFlow extends Assessment {
  readonly snapshot: Json | undefined;
}

/** Migrates flows from one version of their definition to another. */
export class FlowMigration {
  readonly #snapshots: SnapshotMigration;
  readonly #machine: DurableMachine;
  readonly #tried = new Map<string, string | undefined>();

  /** @param machine the machine of the new version */
  constructor(
    from: Chart,
    to: Chart,
    behaviour: Behaviour,
    machine: DurableMachine,
    map: MigrationMap,
  ) {
    if (from.format !== to.format)
      throw badRequest(
        `A definition of the format ${JSON.stringify(from.format)} does not become one of ${JSON.stringify(to.format)}.`,
      );
    this.#snapshots = new SnapshotMigration(from, to, behaviour, map);
    this.#machine = machine;
  }

  of({ id, flow, input, versions = [] }: FlowOfInstance): MigratedFlow {
    if (versions.length >= versionsMax)
      return blocked(`It has run ${versions.length} versions, which is the limit.`);
    if (flow === undefined) return this.#beginning(id, input);
    const migrated = this.#snapshots.of(flow);
    if (migrated.verdict === 'blocked') return migrated;
    const problem = this.#triedProblem(migrated, flow);
    return problem === undefined ? migrated : blocked(problem);
  }

  /** A flow that has not begun begins in the new version. */
  #beginning(id: string, input: JsonObject): MigratedFlow {
    try {
      MachineActor.check(this.#machine, FlowRun.inputFor(id, input));
      return { verdict: 'compatible', because: [], losses: [], snapshot: undefined };
    } catch (error) {
      return blocked(`Its input does not fit the new version: ${reasonOf(error)}`);
    }
  }

  /** Tries one of the snapshots with the same states and calls: the result is the same for the others. */
  #triedProblem({ shape, snapshot }: MigratedSnapshot, before: Json): string | undefined {
    if (!this.#tried.has(shape)) this.#tried.set(shape, this.#problemWith(snapshot, before));
    return this.#tried.get(shape);
  }

  /** Tries to restore the snapshot: the new machine has to accept it, with the same open calls. */
  #problemWith(snapshot: Json, before: Json): string | undefined {
    try {
      const restored = MachineActor.restore(this.#machine, structuredClone(snapshot), () => {});
      const { status, error, calls } = restored;
      if (status === 'error') return `The new version cannot restore it: ${reasonOf(error)}`;
      const lost = openKeysIn(before).filter((key) => !calls.has(key));
      return lost.length === 0 ? undefined : 'The new version would forget calls that are open.';
    } catch (error) {
      return `The new version cannot restore it: ${reasonOf(error)}`;
    }
  }
}

function blocked(because: string): MigratedFlow {
  return { verdict: 'blocked', because: [because], losses: [], snapshot: undefined };
}
