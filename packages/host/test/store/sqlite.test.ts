import { join } from 'node:path';
import { describe } from 'vitest';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { storeContract } from '../../src/testing/store-contract.ts';
import { opensAgain } from './opens-again.ts';
import { temporaryFolder } from './temporary-folder.ts';

const newStore = () => sqliteStore(join(temporaryFolder(), 'store.db'));

describe('open all the time', () => {
  storeContract(newStore);
});
describe('reopened before every read', () => {
  storeContract(() => opensAgain(newStore()));
});
describe('without flushes', () => {
  storeContract(() => sqliteStore(join(temporaryFolder(), 'store.db'), { fsync: 'never' }));
});
