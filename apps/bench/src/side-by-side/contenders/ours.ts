import { lowdbStore, sqliteStore, type StoreLocation } from '@dramaturg/host';
import { postgresStore } from '@dramaturg/postgres';
import { Stage } from '../../host/stage.ts';
import type { OpenContender } from '../contender.ts';

/** Our host on one process, with every write flushed. */
const on =
  (store: (settings: Parameters<OpenContender>[0]) => StoreLocation): OpenContender =>
  async (settings, deliver) => {
    const stage = await Stage.open(store(settings), {
      channels: { main: { deliver: ({ instance, text }) => deliver(instance, text) } },
    });
    return {
      begin: (id) => stage.begin(id),
      turn: (id, turn) => stage.turn(id, turn),
      close: () => stage.stop(),
    };
  };

export const oursOnLowdb = on(({ folder }) => lowdbStore(`${folder}/store`, { fsync: 'always' }));

export const oursOnSqlite = on(({ folder }) =>
  sqliteStore(`${folder}/store.db`, { fsync: 'always' }),
);

export const oursOnPostgres = on(({ postgres }) => postgresStore(postgres, { connectMs: 60_000 }));
