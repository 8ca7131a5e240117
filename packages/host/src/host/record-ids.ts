import { definitionPrefix } from '../definitions/library.ts';

/** Under this id a host stores when it was last alive. */
export const aliveId = 'host:alive';

/** Ids of records that are no instances begin so. */
export const hostPrefixes = [definitionPrefix, 'host:'];
