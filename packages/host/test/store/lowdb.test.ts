import { join } from 'node:path';
import { describe } from 'vitest';
import { lowdbStore } from '../../src/store/lowdb/lowdb-store.ts';
import { storeContract } from '../../src/testing/store-contract.ts';
import { opensAgain } from './opens-again.ts';
import { temporaryFolder } from './temporary-folder.ts';

const disk = {
  newPath: () => join(temporaryFolder(), 'store'),
  at: (path: string) => lowdbStore(path),
};
const newStore = () => disk.at(disk.newPath());
describe('open all the time', () => {
  storeContract(newStore, { disk });
});
describe('reopened before every read', () => {
  const tests = ['writes during a verification are no damage'];
  const skip = [{ reason: 'Reopening closes the store while the test writes.', tests }];
  storeContract(() => opensAgain(newStore()), { skip });
});
describe('with a journal that is folded after almost every write', () => {
  storeContract(() => lowdbStore(join(temporaryFolder(), 'store'), { journalSize: 1 }));
});
describe('without flushes', () => {
  storeContract(() => lowdbStore(join(temporaryFolder(), 'store'), { fsync: 'never' }));
});
