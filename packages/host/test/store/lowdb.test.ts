import { join } from 'node:path';
import { describe } from 'vitest';
import { lowdbStore } from '../../src/store/lowdb/lowdb-store.ts';
import { storeContract } from '../../src/testing/store-contract.ts';
import { opensAgain } from './opens-again.ts';
import { temporaryFolder } from './temporary-folder.ts';

const newStore = () => lowdbStore(join(temporaryFolder(), 'store'));

describe('open all the time', () => {
  storeContract(newStore);
});
describe('reopened before every read', () => {
  storeContract(() => opensAgain(newStore()));
});
describe('with logs that are compacted after almost every write', () => {
  storeContract(() => lowdbStore(join(temporaryFolder(), 'store'), { logSize: 1 }));
});
describe('without flushes', () => {
  storeContract(() => lowdbStore(join(temporaryFolder(), 'store'), { fsync: 'never' }));
});
