import { definitionPrefix } from '../definitions/library.ts';
import { childIdGrowth, nestingMax } from '../instance/children.ts';
import { checkpointPrefix } from './checkpoints.ts';

/** Under this id a host stores when it was last alive. */
export const aliveId = 'host:alive';

/** Ids of records that are no instances begin so. */
export const hostPrefixes = [definitionPrefix, checkpointPrefix, 'host:'];

/** Of an id from outside. */
export const longestId = 200;

/** Children have that of their parent, and more. */
const longestChildId = longestId + nestingMax * childIdGrowth;

/** Whether an instance may have it. */
export function isInstanceId(id: unknown): id is string {
  return (
    typeof id === 'string' &&
    id.trim() !== '' &&
    id.length <= longestChildId &&
    !hostPrefixes.some((prefix) => id.startsWith(prefix))
  );
}
