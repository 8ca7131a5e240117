import { join } from 'node:path';
import { describe } from 'vitest';
import { lowdbStore } from '../../src/store/lowdb/lowdb-store.ts';
import { storeContract } from '../../src/testing/store-contract.ts';
import { opensAgain } from './opens-again.ts';
import { temporaryFolder } from './temporary-folder.ts';

const newStore = () => lowdbStore(join(temporaryFolder(), 'store'));

describe('as it runs', () => {
  storeContract(newStore);
});
describe('closed and opened before every read', () => {
  storeContract(() => opensAgain(newStore()));
});
describe('with logs that are settled after almost every write', () => {
  storeContract(() => lowdbStore(join(temporaryFolder(), 'store'), { logSize: 1 }));
});
describe('without waiting for the device', () => {
  storeContract(() => lowdbStore(join(temporaryFolder(), 'store'), { fsync: 'never' }));
});
