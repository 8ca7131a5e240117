import { Receipts } from '../../host/receipts.ts';
import { messageText, replyText } from '../../host/stage.ts';
import { peer } from '../../peers.ts';
import type { OpenContender } from '../contender.ts';

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
export const dbos: OpenContender = async ({ postgres }, deliver) => {
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
