import { type EventObject, isRecord, type Json } from '@dramaturg/compiler';
import { isSameVersion } from '../definitions/definition.ts';
import type { LoadedDefinition } from '../definitions/library.ts';
import { composeParts } from '../instance/compose-instance.ts';
import type { Refused } from '../instance/event.ts';
import { refusal } from '../instance/refusal.ts';
import type { InstanceState } from '../instance/state.ts';
import type { StepEngineOptions } from '../instance/step-engine.ts';
import type { StepInput } from '../instance/step-input.ts';
import type { WorkingState } from '../instance/working-state.ts';
import type { FlowMigration } from './flow-migration.ts';
import type { MigrationMap } from './migration.ts';

/** A step in which the flow of an instance is replaced. */
export interface ChangedFlow {
  /** The parts of the instance around the new flow. */
  readonly parts: StepEngineOptions;
  readonly input: StepInput;
  /** The event of the host, and those of the flow whose data have changed. */
  readonly event: EventObject;
  readonly flowEvents: readonly EventObject[];
}

/** Decides how the flow of an instance is replaced; undefined when nothing has to change. */
export type FlowChange = (parts: StepEngineOptions) => ChangedFlow | Refused | undefined;

/** Replaces the flow by the same one in another version of its definition. A repeated migration changes nothing. */
export function migrating(
  to: LoadedDefinition,
  map: MigrationMap,
  migrationFrom: (from: LoadedDefinition) => FlowMigration,
): FlowChange {
  return (parts) => {
    const { working, definitions, flowRun } = parts;
    const { flow } = definitions;
    if (working.ended)
      return refusal(
        'instance/ended',
        'The instance has ended, so it is not migrated.',
        working.status,
      );
    if (flow && isSameVersion(flow.ref, to.ref)) return undefined;
    if (!flow)
      return refusal(
        'migration/blocked',
        'It is a lifecycle without a flow: its instances keep their version.',
        working.status,
      );
    const before = flowRun?.snapshot();
    const migration = migrationFrom(flow);
    const { verdict, because, losses, snapshot } = migration.of({
      id: working.id,
      flow: before,
      input: working.state.input,
      versions: working.state.versions,
    });
    if (verdict === 'blocked')
      return refusal('migration/blocked', because.join(' '), working.status);
    const versions = [...(working.state.versions ?? [flow.ref]), to.ref];
    const replaced = { definition: flow.ref, ...(before !== undefined && { flow: before }) };
    return {
      parts: withFlow(parts, to, snapshot, { versions, replaced }),
      flowEvents: dataEvents(to, before, snapshot),
      input: { type: 'definition.migrated', to: to.ref, map },
      event: {
        type: 'definition.migrated',
        definition: to.ref.name,
        from: flow.ref.version,
        to: to.ref.version,
        ...(losses.length > 0 && { losses }),
      },
    };
  };
}

/** Restores the flow before a migration, while the migration is the last step. */
export function undoing(to: LoadedDefinition): FlowChange {
  return (parts) => {
    const { working, definitions } = parts;
    const { replaced, versions = [] } = working.state;
    if (!replaced || !isSameVersion(replaced.definition, to.ref))
      return refusal(
        'migration/not-last',
        'Its last step is not a migration, so there is nothing that can be undone.',
        working.status,
      );
    return {
      parts: withFlow(parts, to, replaced.flow, { versions: [...versions, to.ref] }),
      flowEvents: dataEvents(to, parts.flowRun?.snapshot(), replaced.flow),
      input: { type: 'migration.undone' },
      event: {
        type: 'migration.undone',
        definition: to.ref.name,
        from: definitions.flow!.ref.version,
        to: to.ref.version,
      },
    };
  };
}

/** Forgets the replaced flow: after another step, a migration cannot be undone. */
export function forgetReplaced(working: WorkingState): void {
  if (!working.state.replaced) return;
  const { replaced: _replaced, ...state } = working.state;
  working.state = state;
}

/** Builds the parts of the instance around another flow. Open calls stay open, with the same keys. */
function withFlow(
  { working, lifecycle, definitions, surroundings }: StepEngineOptions,
  definition: LoadedDefinition,
  snapshot: Json | undefined,
  fields: Pick<InstanceState, 'versions' | 'replaced'>,
): StepEngineOptions {
  forgetReplaced(working);
  const { flow: _flow, ...state } = working.state;
  working.state = { ...state, ...(snapshot === undefined ? {} : { flow: snapshot }), ...fields };
  return composeParts(working, { ...definitions, flow: definition }, surroundings, () => lifecycle);
}

function dataEvents(
  { machine }: LoadedDefinition,
  ...snapshots: readonly (Json | undefined)[]
): readonly EventObject[] {
  const [before, after] = snapshots.map((each) => (isRecord(each) ? each['context'] : undefined));
  return (isRecord(before) && isRecord(after) && machine.reported?.(before, after)) || [];
}
