import { runsAll } from '../../../../.config/scaled.ts';

/**
 * The chapters of the contract that depend on the store of a host. The short tests run only those on a disk, and all others in
 * memory.
 */
export const chaptersOfStores = runsAll
  ? {}
  : {
      chapters: [
        'turns',
        'order',
        'heartbeat',
        'effects',
        'endings',
        'eventCursors',
        'eventFeed',
        'contactEvents',
        'readerPositions',
        'repeatedStarts',
        'words',
      ],
    };
