import { join } from 'node:path';
import { describe } from 'vitest';
import { share } from './share.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { storeContract } from '@dramaturg/testing';
import { opensAgain } from './opens-again.ts';
import { temporaryFolder } from './temporary-folder.ts';

const disk = {
  newPath: () => join(temporaryFolder(), 'store.db'),
  at: (path: string) => sqliteStore(path),
};
const newStore = () => disk.at(disk.newPath());

describe('open all the time', () => {
  storeContract(newStore, { share, disk });
});
describe('reopened before every read', () => {
  storeContract(() => opensAgain(newStore()), {
    share,
    skip: [
      {
        reason: 'the verification reopens the store while others write',
        tests: ['writes during a verification are no damage'],
      },
    ],
  });
});
