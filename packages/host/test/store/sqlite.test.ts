import { join } from 'node:path';
import { describe } from 'vitest';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { storeContract } from '../../src/testing/store-contract.ts';
import { opensAgain } from './opens-again.ts';
import { temporaryFolder } from './temporary-folder.ts';

const newStore = () => sqliteStore(join(temporaryFolder(), 'store.db'));

describe('as it runs', () => {
  storeContract(newStore);
});
describe('closed and opened before every read', () => {
  storeContract(() => opensAgain(newStore()));
});
describe('without waiting for the device', () => {
  storeContract(() => sqliteStore(join(temporaryFolder(), 'store.db'), { fsync: 'never' }));
});
