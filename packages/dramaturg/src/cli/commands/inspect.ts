import { once } from 'node:events';
import { type Command, command, examples, storeArgument } from '../command.ts';
import { type HostOptions, readWholeNumber, withHostOptions } from '../host/host-options.ts';
import { requireStore } from '../host/gateway/store-folder.ts';
import { nameFor } from '../host/restate/location.ts';
import { interruptible } from '../interruptible.ts';
import { readLimits } from '../limits.ts';
import { type ExitCode, exitCodes, UsageError } from '../usage-error.ts';
import { showPage } from '../inspect/live.ts';
import { StoreExhibit } from '../inspect/store-exhibit.ts';

interface InspectOptions extends HostOptions {
  readonly attach?: string;
  readonly allowSend?: true;
  readonly open: boolean;
  readonly port?: number;
}

export function inspectCommand(): Command {
  return withHostOptions(command('inspect').json('print lines of JSON'))
    .description(
      'Opens a page that shows the instances of a store: their statecharts, actors, events, contexts, calls and timers, now and after each past step. It needs no network, and only this computer can open it.',
    )
    .argument('[store]', `${storeArgument}; read directly while no host runs it`)
    .option(
      '--attach <store>',
      'read only through the host of this store; wait while it is stopped',
    )
    .option('--allow-send', 'let the page send events, messages and decisions, and fork instances')
    .option('--no-open', 'print the address instead of opening the browser')
    .option('--port <number>', 'the port of the page; a free one when left out', readWholeNumber)
    .addHelpText(
      'after',
      `
The address contains a token. Anyone who has it sees everything and can send
what the page may send. Ctrl+C closes the page.
${examples([
  'dramaturg inspect conversations',
  'dramaturg inspect conversations --allow-send',
  'dramaturg inspect --attach conversations --no-open',
])}`,
    )
    .action(inspect);
}

async function inspect(store: string | undefined, options: InspectOptions): Promise<ExitCode> {
  const {
    attach,
    allowSend = false,
    agents,
    model,
    baseUrl,
    combineReplies,
    webhook,
    within,
    callTimeout,
  } = options;
  const folder = attach ?? store;
  if (folder === undefined || (attach !== undefined && store !== undefined)) {
    throw new UsageError(
      folder === undefined ? 'The store is missing.' : 'The store is named twice.',
      'Name the folder of one store, such as: dramaturg inspect conversations',
    );
  }
  const limits = await readLimits(options);
  await requireStore(folder);
  const exhibit = new StoreExhibit({
    folder,
    allowsSending: allowSend,
    isAttached: attach !== undefined,
    settings: {
      agents,
      s3: options.s3,
      mcpServer: options.mcpServer,
      mcpConfig: options.mcpConfig,
      pool: options.pool,
      model,
      baseUrl,
      combineReplies,
      webhook,
      limits,
      callTimeout,
      settleTimeoutMs: within,
    },
  });
  const what = nameFor(folder);
  const page = await showPage(exhibit, what, options);
  await interruptible(async (signal) => {
    await once(signal, 'abort');
    await page.close();
  });
  return exitCodes.fine;
}
