import { Receipts } from '../../host/receipts.ts';
import { messageText, replyText } from '../../host/stage.ts';
import { peer } from '../../peers.ts';
import type { OpenContender } from '../contender.ts';

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
export const openWorkflow: OpenContender = async ({ postgres }, deliver) => {
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
