import { join } from 'node:path';
import { describe } from 'vitest';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { storeContract } from '../../src/testing/store-contract.ts';
import { opensAgain } from './opens-again.ts';
import { temporaryFolder } from './temporary-folder.ts';

const disk = {
  newPath: () => join(temporaryFolder(), 'store.db'),
  at: (path: string) => sqliteStore(path),
};
const newStore = () => disk.at(disk.newPath());

describe('open all the time', () => {
  storeContract(newStore, { disk });
});
describe('reopened before every read', () => {
  storeContract(() => opensAgain(newStore()), {
    skip: [
      {
        reason: 'the verification reopens the store while others write',
        tests: ['writes during a verification are no damage'],
      },
    ],
  });
});
describe('without flushes', () => {
  storeContract(() => sqliteStore(join(temporaryFolder(), 'store.db'), { fsync: 'never' }));
});
