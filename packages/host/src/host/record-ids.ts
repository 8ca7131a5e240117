import type { Json } from '@dramaturg/compiler';
import { nestingMax } from '@dramaturg/compiler/machine';
import { definitionPrefix } from '../definitions/library.ts';
import { copyPrefix } from '../erasure/copy-links.ts';
import { childIdGrowth } from '../instance/children.ts';
import type { Store } from '../store/contract.ts';
import { checkpointPrefix } from './checkpoints.ts';

/** The id of the record with the time when a host was last alive. */
export const aliveId = 'host:alive';

/** The id of the record with the instances that the host is deciding after its start. */
export const decidingId = 'host:deciding';

/** The id of a record that tests whether the store can be written. */
export const probeId = 'host:probe';

/** The id of a record that says that files of the store's contacts are kept in a place of their own. */
export const filesId = 'host:files';

/** The id of the record with the URL of the present host. */
export const serviceId = 'host:service';

/** The prefix of the ids of records with the positions of readers. */
export const readerPrefix = 'host:reader/';

/**
 * Writes a record of the host itself. Its status is the word in its id.
 *
 * @param revision of the stored record; 0 when there is none
 * @returns the new revision
 */
export async function writeHostRecord(
  store: Pick<Store, 'create' | 'commit'>,
  id: string,
  createdAt: number,
  snapshot: Json,
  revision = 0,
): Promise<number> {
  const written =
    revision === 0
      ? await store.create({
          id,
          kind: 'host',
          status: id.slice('host:'.length),
          createdAt,
          snapshot,
        })
      : await store.commit({ id, expectedRevision: revision, snapshot });
  return written.revision;
}

/** The prefixes of ids of records that are not instances. */
export const hostPrefixes = [definitionPrefix, checkpointPrefix, copyPrefix, 'host:'];

/** The longest id from outside. */
export const idLengthMax = 200;

/** A child's id begins with its parent's. */
const childIdLengthMax = idLengthMax + nestingMax * childIdGrowth;

/** Whether a value can be the id of an instance. */
export function isInstanceId(id: unknown): id is string {
  return (
    typeof id === 'string' &&
    id.trim() !== '' &&
    id.length <= childIdLengthMax &&
    !hostPrefixes.some((prefix) => id.startsWith(prefix))
  );
}
