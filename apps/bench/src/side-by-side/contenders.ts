import { type Channel, lowdbStore, sqliteStore, type StoreLocation } from '@dramaturg/host';
import { postgresStore } from '@dramaturg/postgres';
import { restateHost } from '@dramaturg/restate';
import pg from 'pg';
import { langGraph, sqliteSaver } from '../host/langgraph.ts';
import { messageText, Receipts, replyText, Stage } from '../host/stage.ts';
import { peer } from '../measure.ts';
import type { Contender, ContenderSettings, Deliver, OpenContender } from './contender.ts';
import { type RestatePeerName, startRestatePeer } from './restate-peer.ts';

/**
 * The least that a turn can cost on Postgres: one inserted row for the message and one for the answer, each flushed before the
 * next step, and one for the receipt, which is not flushed. It has no state, no machine and no order.
 */
const threeInserts: OpenContender = async ({ postgres }, deliver) => {
  const pool = new pg.Pool({ connectionString: postgres, max: connections });
  await pool.query('CREATE TABLE lines (id text, turn int, kind text, text text)');
  const insert = 'INSERT INTO lines VALUES ($1, $2, $3, $4)';
  return {
    turn: async (id, turn) => {
      const message = messageText(turn);
      await pool.query(insert, [id, turn, 'message', message]);
      const reply = replyText(message);
      await pool.query(insert, [id, turn, 'reply', reply]);
      deliver(id, reply);
      await pool.query(
        `WITH receipt AS (${insert}) SELECT set_config('synchronous_commit', 'off', true)`,
        [id, turn, 'receipt', ''],
      );
    },
    close: () => pool.end(),
  };
};

const writtenByHand =
  (which: RestatePeerName): OpenContender =>
  async ({ ingress, admin }, deliver) => {
    const { turn } = await startRestatePeer({ ingress, admin }, which, {
      reply: async (text) => replyText(text),
      deliver: async (id, text) => deliver(id, text),
    });
    return { turn: (id, number) => turn(id, messageText(number)) };
  };

const acceptingObject = writtenByHand('accepting');

const oneHandlerObject = writtenByHand('one handler');

/** Our host in one process, with every write flushed. */
const on =
  (store: (settings: ContenderSettings) => StoreLocation): OpenContender =>
  async (settings, deliver) =>
    contenderOf(await Stage.open(store(settings), { channels: channelsOf(deliver) }));

const oursOnLowdb = on(({ folder }) => lowdbStore(`${folder}/store`, { fsync: 'always' }));

const oursOnSqlite = on(({ folder }) => sqliteStore(`${folder}/store.db`, { fsync: 'always' }));

const oursOnPostgres = on(({ postgres }) => postgresStore(postgres, { connectMs: 60_000 }));

/** Maximum number of subscribers of all events, such as desks, live views and traces. Receipts already have one. */
const followersMax = 20;

const oursFollowedOnPostgres: OpenContender = async ({ postgres }, deliver) => {
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
const oursOnRestate: OpenContender = async ({ ingress, admin }, deliver) => {
  const delivered = new Receipts();
  const channels = channelsOf((id, text) => {
    deliver(id, text);
    delivered.fulfil(id);
  });
  const host = await restateHost({
    ...Stage.options,
    ingress,
    admin,
    channels,
    handlers: {},
    limits: {},
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

/** The part of openworkflow that the benchmark uses. */
interface OpenWorkflow {
  readonly defineWorkflow: (
    spec: { readonly name: string },
    run: (call: { readonly input: Message; readonly step: Steps }) => Promise<void>,
  ) => {
    readonly run: (
      input: Message,
      options: { readonly idempotencyKey: string },
    ) => Promise<unknown>;
  };
  readonly newWorker: (options: { readonly concurrency: number }) => {
    readonly start: () => Promise<void>;
    readonly stop: () => Promise<void>;
  };
}

interface Message {
  readonly id: string;
  readonly text: string;
}

interface Steps {
  readonly run: <Result>(
    options: { readonly name: string },
    run: () => Promise<Result>,
  ) => Promise<Result>;
}

/** The slots of the worker. Each free slot polls the database, so more slots than needed slow it down. */
const slots = 32;

/**
 * openworkflow with a workflow for each message. The message is stored before `run` fulfils, and the result of each step before
 * the next one. openworkflow loses a message that no workflow waits for, so a conversation cannot be a workflow that waits for
 * its messages.
 */
const openWorkflow: OpenContender = async ({ postgres }, deliver) => {
  const { OpenWorkflow: Client } = peer('openworkflow') as {
    OpenWorkflow: new (options: object) => OpenWorkflow;
  };
  const { BackendPostgres } = peer('openworkflow/postgres') as {
    BackendPostgres: { connect: (url: string) => Promise<object> };
  };
  const client = new Client({ backend: await BackendPostgres.connect(postgres) });
  const receipts = new Receipts();
  const workflow = client.defineWorkflow({ name: 'turn' }, async ({ input, step }) => {
    const reply = await step.run({ name: 'reply' }, async () => replyText(input.text));
    await step.run({ name: 'deliver' }, async () => {
      deliver(input.id, reply);
      return null;
    });
    receipts.fulfil(input.id);
  });
  const worker = client.newWorker({ concurrency: slots });
  await worker.start();
  return {
    turn: async (id, turn) => {
      const receipt = receipts.next(id);
      await workflow.run({ id, text: messageText(turn) }, { idempotencyKey: `${id}-${turn}` });
      await receipt;
    },
    close: () => worker.stop(),
  };
};

interface PostgresSaver {
  readonly setup: () => Promise<void>;
}

/** LangGraph with its SQLite checkpointer, which flushes each of its writes, and only new messages in them. */
const langGraphOnSqlite: OpenContender = async ({ folder }, deliver) => {
  const saver = sqliteSaver(`${folder}/langgraph.db`);
  saver.db.pragma('synchronous = FULL');
  return { turn: langGraph(saver, { delta: true, deliver }) };
};

/** LangGraph with its Postgres checkpointer and the connection pool of its defaults. */
const langGraphOnPostgres: OpenContender = async ({ postgres }, deliver) => {
  const { PostgresSaver: Saver } = peer('@langchain/langgraph-checkpoint-postgres') as {
    PostgresSaver: { fromConnString: (url: string) => PostgresSaver };
  };
  const saver = Saver.fromConnString(postgres);
  await saver.setup();
  return { turn: langGraph(saver, { delta: true, deliver }) };
};

/** The part of DBOS that the benchmark uses. */
interface Dbos {
  readonly setConfig: (config: object) => void;
  readonly launch: () => Promise<void>;
  readonly shutdown: () => Promise<void>;
  readonly registerWorkflow: <Args extends readonly unknown[]>(
    run: (...inputs: Args) => Promise<void>,
    options: { readonly name: string },
  ) => (...inputs: Args) => Promise<void>;
  readonly startWorkflow: <Args extends readonly unknown[]>(
    workflow: (...inputs: Args) => Promise<void>,
    options: { readonly workflowID: string },
  ) => (...inputs: Args) => Promise<unknown>;
  readonly runStep: <Result>(
    run: () => Promise<Result>,
    options: { readonly name: string },
  ) => Promise<Result>;
}

/** The default pool has 10 connections. More of them let more turns share a flush of the server. */
const connections = 50;

/**
 * DBOS with a workflow for each message, with the id of the message. Its input is stored before `startWorkflow` fulfils. The
 * results of its two steps, the call and the delivery, are stored before the next line runs.
 *
 * A workflow for each conversation, which receives its messages with `recv`, is closer to a conversation, but reached only half
 * as many turns per second. It also replays all turns after a restart.
 */
const dbos: OpenContender = async ({ postgres }, deliver) => {
  const sdk = configured(postgres);
  const receipts = new Receipts();
  const takeTurn = sdk.registerWorkflow(
    async (id: string, text: string) => {
      const reply = await sdk.runStep(async () => replyText(text), { name: 'reply' });
      await sdk.runStep(async () => deliver(id, reply), { name: 'deliver' });
      receipts.fulfil(id);
    },
    { name: 'turn' },
  );
  await sdk.launch();
  return {
    turn: async (id, turn) => {
      const receipt = receipts.next(id);
      await sdk.startWorkflow(takeTurn, { workflowID: `${id}-${turn}` })(id, messageText(turn));
      await receipt;
    },
    close: () => sdk.shutdown(),
  };
};

function configured(url: string): Dbos {
  const { DBOS } = peer('@dbos-inc/dbos-sdk') as { DBOS: Dbos };
  DBOS.setConfig({
    name: 'side-by-side',
    systemDatabaseUrl: url,
    systemDatabasePoolSize: connections,
    logLevel: 'error',
  });
  return DBOS;
}

/** All contenders, by their names in the results. */
export const contenders = {
  'ours on lowdb': oursOnLowdb,
  'ours on sqlite': oursOnSqlite,
  'ours on Postgres': oursOnPostgres,
  'ours on Postgres, followed': oursFollowedOnPostgres,
  'ours on Restate': oursOnRestate,
  'LangGraph with SqliteSaver': langGraphOnSqlite,
  DBOS: dbos,
  openworkflow: openWorkflow,
  'LangGraph with PostgresSaver': langGraphOnPostgres,
  'three inserts on Postgres': threeInserts,
  'a Restate object that accepts messages': acceptingObject,
  'a Restate object of one handler': oneHandlerObject,
} satisfies Record<string, OpenContender>;

export type ContenderName = keyof typeof contenders;
