import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { visible } from '@dramaturg/compiler';
import { type FsyncMode, StoreError } from '@dramaturg/host';
import { type Command, Option } from 'commander';
import { command, examples } from '../../command.ts';
import { type DefinitionOptions, withDefinitionOptions } from '../../definition-options.ts';
import { readLimits } from '../../limits.ts';
import { outputTo } from '../../output.ts';
import { type ExitCode, exitCodes } from '../../usage-error.ts';
import { visibleJson } from '../../visible.ts';
import { showWith } from '../desk/channels.ts';
import { readDefinitions } from '../../definition-file.ts';
import type { LocalDesk } from '../desk/local-desk.ts';
import { openHost } from '../desk/open-host.ts';
import { ownerName } from '../desk/open-desk.ts';
import { type HostOptions, withHostOptions, withJson, storeArgument } from '../host-options.ts';
import { type StoreKind, storeKinds } from '../desk/store-folder.ts';
import { printHostError } from '../print/host-error.ts';
import { withOpeningNotice } from '../print/opening-notice.ts';
import { serverFor } from '../transport/server.ts';
import { listenIn, stopListening } from '../transport/socket.ts';
import { explainFailures } from '../desk/explain-failures.ts';
import {
  type HandlerOptions,
  requireNoHandlers,
  withHandlers,
} from '../restate/handler-options.ts';
import { restateAt } from '../restate/location.ts';

interface ServeOptions extends HostOptions, DefinitionOptions, HandlerOptions {
  readonly definition?: readonly string[];
  readonly store?: StoreKind;
  readonly fsync?: FsyncMode;
}

export function serveCommand(done: (code: ExitCode) => void): Command {
  return withHandlers(
    withHostOptions(withJson(withDefinitionOptions(command('serve')), 'print lines of JSON')),
  )
    .summary('run the instances of a store')
    .description(
      'Runs the instances of a store until Ctrl+C: fires their timers, and serves all other commands on the store. Creates the store if it does not exist.',
    )
    .argument('<store>', storeArgument)
    .option(
      '--definition <name=file>',
      'a definition to start instances of; may be repeated; the name is that of the file by default',
      (given: string, before: readonly string[] | undefined) => [...(before ?? []), given],
    )
    .addOption(new Option('--store <kind>', 'the kind of a new store').choices(storeKinds))
    .addOption(
      new Option('--fsync <when>', 'when writes are flushed to the device').choices([
        'always',
        'batch',
        'never',
      ]),
    )
    .addHelpText(
      'after',
      `
Messages for contacts are printed, or posted with --webhook. On SIGINT and
SIGTERM, running work has --within milliseconds to finish. The rest continues
when the store is opened again.

With --restate, this process serves the handlers of instances on Restate. Start
it several times for more turns: processes on one machine share the address.
${examples([
  'dramaturg serve conversations --definition intake.plan.json',
  'dramaturg serve conversations --definition support=flows/support.plan.json --webhook https://example.com/out',
  'dramaturg serve runs --definition order.asl.json --agents agents.mjs --json',
  'dramaturg serve conversations --definition intake.plan.json --model openai:gpt-5 --max-calls 100',
  'dramaturg serve --restate http://localhost:8080 --definition intake.plan.json',
])}`,
    )
    .action(async (folder: string, options: ServeOptions) => {
      const location = restateAt(folder);
      done(
        await explainFailures(folder, async () => {
          if (location)
            return (await import('../restate/serve-restate.ts')).serveRestate(location, options);
          requireNoHandlers(options);
          return serve(folder, options);
        }),
      );
    });
}

async function serve(folder: string, options: ServeOptions): Promise<ExitCode> {
  const limits = await readLimits(options);
  const definitions = await readDefinitions(options.definition ?? [], options);
  const compiled = Object.entries(definitions).map(
    ([name, file]) => [name, file.compiled] as const,
  );
  const output = outputTo(process.stdout);
  const line = (value: object) => output.write(`${visibleJson(JSON.stringify(value))}\n`);
  const stop = new AbortController();
  let lost: StoreError | undefined;
  const settings = {
    folder,
    name: ownerName('serve'),
    show: options.json
      ? (message: object) => line({ type: 'message', ...message })
      : showWith(output.write),
    definitions: Object.fromEntries(compiled),
    kind: options.store,
    fsync: options.fsync,
    agents: options.agents,
    s3: options.s3,
    pool: options.pool,
    model: options.model,
    baseUrl: options.baseUrl,
    webhook: options.webhook,
    limits,
    callTimeout: options.callTimeout,
    settleTimeoutMs: options.within,
    onStoreError: (error: StoreError) => {
      process.stderr.write(`dramaturg: ${visible(error.message)}\n`);
      // Without storage the host must not act any more.
      if (error.code !== 'store/lost') return;
      lost = error;
      stop.abort();
    },
    onError: printHostError,
  };
  const interrupt = () => stop.abort();
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  const desk = await withOpeningNotice(folder, openWhenReleased(settings));
  const server = await serverFor(desk);
  try {
    await listenIn(folder, server);
  } catch (error) {
    await desk.close();
    throw error;
  }
  if (options.json) line({ type: 'ready', pid: process.pid, definitions: desk.host.definitions });
  else output.write(`${output.paint('green', '✓')} ${ready(folder, desk)}\n`);
  if (!stop.signal.aborted) await once(stop.signal, 'abort');

  if (!options.json) output.write('Stopping ...\n');
  // The socket is removed first: while the store is being released, another host may take it and create its own socket.
  stopListening(folder, server);
  await desk.host.stop({ within: options.within });
  server.closeAllConnections();
  if (lost) throw lost;
  if (options.json) line({ type: 'stopped' });
  else output.write('Stopped.\n');
  return exitCodes.fine;
}

function ready(folder: string, { host: { definitions } }: LocalDesk): string {
  const names = definitions.map((name) => `"${visible(name)}"`).join(', ');
  return `Serving "${visible(folder)}"${names === '' ? '' : ` with ${names}`}. Ctrl+C stops the host.`;
}

/** How long to wait for another command to release the store. */
const ownershipTimeoutMs = 5_000;

async function openWhenReleased(settings: Parameters<typeof openHost>[0]): Promise<LocalDesk> {
  const deadline = Date.now() + ownershipTimeoutMs;
  for (;;) {
    try {
      return await openHost(settings);
    } catch (error) {
      const owned = error instanceof StoreError && error.code === 'store/owned';
      const isBrief =
        owned &&
        error.message.includes(`in use by "${ownerName('')}`) &&
        !error.message.includes(`in use by "${ownerName('serve')}"`);
      if (!isBrief || Date.now() >= deadline) throw error;
      await pause(50);
    }
  }
}
