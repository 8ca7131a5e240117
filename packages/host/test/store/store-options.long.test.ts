import { join } from 'node:path';
import { describe } from 'vitest';
import { lowdbStore } from '../../src/store/lowdb/lowdb-store.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { storeContract } from '@dramaturg/testing';
import { share } from './share.ts';
import { temporaryFolder } from './temporary-folder.ts';

describe('lowdb without flushes', () => {
  storeContract(() => lowdbStore(join(temporaryFolder(), 'store'), { fsync: 'never' }), { share });
});
describe('sqlite without flushes', () => {
  storeContract(() => sqliteStore(join(temporaryFolder(), 'store.db'), { fsync: 'never' }), {
    share,
  });
});
describe('lowdb with a journal that is folded after almost every write', () => {
  storeContract(() => lowdbStore(join(temporaryFolder(), 'store'), { journalSize: 1 }), { share });
});
