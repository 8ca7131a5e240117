import { type Channel, lowdbStore, sqliteStore, type StoreLocation } from '@dramaturg/host';
import { postgresStore } from '@dramaturg/postgres';
import { Stage } from '../../host/stage.ts';
import type { Contender, ContenderSettings, Deliver, OpenContender } from '../contender.ts';

/** Our host in one process, with every write flushed. */
const on =
  (store: (settings: ContenderSettings) => StoreLocation): OpenContender =>
  async (settings, deliver) =>
    contenderOf(await Stage.open(store(settings), { channels: channelsOf(deliver) }));

export const oursOnLowdb = on(({ folder }) => lowdbStore(`${folder}/store`, { fsync: 'always' }));

export const oursOnSqlite = on(({ folder }) =>
  sqliteStore(`${folder}/store.db`, { fsync: 'always' }),
);

export const oursOnPostgres = on(({ postgres }) => postgresStore(postgres, { connectMs: 60_000 }));

/** Our host on Restate, with the handlers in one process. */
export const oursOnRestate: OpenContender = async ({ ingress, admin }, deliver) =>
  contenderOf(await Stage.openOnRestate({ ingress, admin }, { channels: channelsOf(deliver) }));

function channelsOf(deliver: Deliver): { readonly main: Channel } {
  return { main: { deliver: ({ instance, text }) => deliver(instance, text) } };
}

function contenderOf(stage: Stage): Contender {
  return {
    begin: (id) => stage.begin(id),
    turn: (id, turn) => stage.turn(id, turn),
    close: () => stage.stop(),
  };
}
