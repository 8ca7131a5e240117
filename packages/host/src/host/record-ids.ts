import { definitionPrefix } from '../definitions/library.ts';
import { checkpointPrefix } from './checkpoints.ts';

/** Under this id a host stores when it was last alive. */
export const aliveId = 'host:alive';

/** Ids of records that are no instances begin so. */
export const hostPrefixes = [definitionPrefix, checkpointPrefix, 'host:'];

export const longestId = 200;

/** Whether an instance may have it. */
export function isInstanceId(id: unknown): id is string {
  return (
    typeof id === 'string' &&
    id.trim() !== '' &&
    id.length <= longestId &&
    !hostPrefixes.some((prefix) => id.startsWith(prefix))
  );
}
