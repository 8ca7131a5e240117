import { join } from 'node:path';
import { describe } from 'vitest';
import { share } from './share.ts';
import { lowdbStore } from '../../src/store/lowdb/lowdb-store.ts';
import { storeContract } from '@dramaturg/testing';
import { opensAgain } from './opens-again.ts';
import { temporaryFolder } from './temporary-folder.ts';

const disk = {
  newPath: () => join(temporaryFolder(), 'store'),
  at: (path: string) => lowdbStore(path),
};
const newStore = () => disk.at(disk.newPath());
describe('open all the time', () => {
  storeContract(newStore, { share, disk });
});
describe('reopened before every read', () => {
  const tests = ['writes during a verification are no damage'];
  const skip = [{ reason: 'Reopening closes the store while the test writes.', tests }];
  storeContract(() => opensAgain(newStore()), { share, skip });
});
