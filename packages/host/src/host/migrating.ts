import { badRequest } from '../errors.ts';
import type { Behaviours } from '../definitions/behaviours.ts';
import { isRecord } from '@dramaturg/compiler';
import { isSameVersion } from '../definitions/definition.ts';
import type { Library } from '../definitions/library.ts';
import type { Answer } from '../instance/event.ts';
import { refusal } from '../instance/refusal.ts';
import { migrating, undoing } from '../migration/flow-change.ts';
import { FlowMigration } from '../migration/flow-migration.ts';
import type { MigrationMap } from '../migration/migration.ts';
import type { ActiveInstances } from './active-instances.ts';
import { requireKnown } from './request.ts';

/** How an instance is migrated to the latest version of its definition. */
export interface MigrateOptions {
  /** Maps names that the instance has to names of the new version. */
  readonly map?: MigrationMap;
  /** The version that the instance must run. If it runs another one, the migration is refused. */
  readonly from?: string;
}

export interface MigratingParts {
  readonly library: Library;
  readonly activeInstances: ActiveInstances;
  readonly behaviours: Behaviours;
}

/**
 * Migrates an instance in a step of its own: the snapshot in the new version, its timers and letters, and the journal are one write.
 * Calls that run are not interrupted. A repeated migration changes nothing.
 */
export function migrateInstance(
  { library, activeInstances, behaviours }: MigratingParts,
  id: string,
  { map = {}, from }: MigrateOptions,
): Promise<Answer> {
  return activeInstances.use(id, async (runner) => {
    const { definition, status } = runner.instance;
    const to = await library.latest(definition.name);
    const isOther = from !== undefined && definition.version !== from;
    if (isOther && !isSameVersion(definition, to.ref))
      return refusal(
        'migration/other-version',
        `It runs the version ${definition.version}, and not ${from}.`,
        status,
      );
    // An instance is pinned to stored versions only.
    await library.keep(to);
    return runner.step((instance) =>
      instance.decideFlow(
        migrating(
          to,
          map,
          ({ chart }) =>
            new FlowMigration(chart, to.chart, behaviours.get(chart.format)!, to.machine, map),
        ),
      ),
    );
  });
}

/** Undoes the migration of an instance, while it is the last step. */
export function undoMigration(
  { library, activeInstances }: MigratingParts,
  id: string,
): Promise<Answer> {
  return activeInstances.use(id, async (runner) => {
    const { replaced } = runner.instance.state;
    const to = await library.load(replaced?.definition ?? runner.instance.definition);
    return runner.step((instance) => instance.decideFlow(undoing(to)));
  });
}

/** Checks a map of names (H8). */
export function requireMap(map: unknown): MigrationMap {
  if (map === undefined) return {};
  requireKnown(map as object, ['states', 'data', 'calls'], 'fields of the migration');
  const { states = {}, data = {}, calls = 'keep' } = map as Readonly<Record<string, unknown>>;
  requireNames(states, 'states', (name) => typeof name === 'string');
  requireNames(data, 'data', (name) => typeof name === 'string' || name === null);
  if (calls !== 'keep' && calls !== 'block')
    throw badRequest('"calls" of a migration is "keep" or "block".');
  return JSON.parse(JSON.stringify({ states, data, calls })) as MigrationMap;
}

/** The map is limited, because a journal line contains it. */
const namesMax = 1_000;

function requireNames(names: unknown, field: string, isName: (name: unknown) => boolean): void {
  if (
    !isRecord(names) ||
    Object.keys(names).length > namesMax ||
    !Object.values(names).every(isName)
  )
    throw badRequest(`"${field}" of a migration has new names by old ones, at most ${namesMax}.`);
}
