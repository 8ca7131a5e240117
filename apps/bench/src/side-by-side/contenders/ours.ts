import { type Channel, lowdbStore, sqliteStore, type StoreLocation } from '@dramaturg/host';
import { postgresStore } from '@dramaturg/postgres';
import { Receipts } from '../../host/receipts.ts';
import { messageText, Stage } from '../../host/stage.ts';
import { benchHost } from '../../restate-scaling/host.ts';
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

/** Maximum number of subscribers of all events, such as desks, live views and traces. Receipts already have one. */
const followersMax = 20;

export const oursFollowedOnPostgres: OpenContender = async ({ postgres }, deliver) => {
  const store = postgresStore(postgres, { connectMs: 60_000 });
  const stage = await Stage.open(store, { channels: channelsOf(deliver) });
  const followers = Array.from({ length: followersMax }, () => following(stage));
  const contender = contenderOf(stage);
  return {
    ...contender,
    close: async () => {
      await stage.stop();
      await Promise.all(followers);
    },
  };
};

/**
 * Our host on Restate, with the handlers in one process. As with hand-written objects, messages go to the object of the
 * conversation, and a turn is measured until the answer is delivered.
 */
export const oursOnRestate: OpenContender = async ({ ingress, admin }, deliver) => {
  const delivered = new Receipts();
  const host = await benchHost({ ingress, admin, handlers: {} }, (id, text) => {
    deliver(id, text);
    delivered.fulfil(id);
  });
  return {
    begin: async (id) => {
      const greeted = delivered.next(id);
      await host.start('chat', { id, contact: id });
      await greeted;
    },
    turn: async (id, turn) => {
      const answered = delivered.next(id);
      await host.send(id, { type: 'message.received', id: `m-${turn}`, text: messageText(turn) });
      await answered;
    },
    close: () => host.stop(),
  };
};

function channelsOf(deliver: Deliver): { readonly main: Channel } {
  return { main: { deliver: ({ instance, text }) => deliver(instance, text) } };
}

async function following({ host }: Stage): Promise<void> {
  let count = 0;
  for await (const _ of host.events()) count += 1;
  if (count === 0) throw new Error('A subscriber of all instances has seen no event.');
}

function contenderOf(stage: Stage): Contender {
  return {
    begin: (id) => stage.begin(id),
    turn: (id, turn) => stage.turn(id, turn),
    close: () => stage.stop(),
  };
}
