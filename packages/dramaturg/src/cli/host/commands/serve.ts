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
import { showOn } from '../desk/channels.ts';
import { readDefinitions } from '../../definition-file.ts';
import type { LocalDesk } from '../desk/local-desk.ts';
import { openHost } from '../desk/open-host.ts';
import { ownerName } from '../desk/open-desk.ts';
import { type HostOptions, withHostOptions, withJson } from '../host-options.ts';
import { type StoreKind, storeKinds } from '../desk/store-folder.ts';
import { whileOpening } from '../print/opening-notice.ts';
import { serverFor } from '../transport/server.ts';
import { listenIn, stopListening } from '../transport/socket.ts';
import { told } from '../transport/failure.ts';

interface ServeOptions extends HostOptions, DefinitionOptions {
  readonly definition?: readonly string[];
  readonly store?: StoreKind;
  readonly fsync?: FsyncMode;
}

export function serveCommand(done: (code: ExitCode) => void): Command {
  return withHostOptions(withJson(withDefinitionOptions(command('serve')), 'print lines of JSON'))
    .summary('run the instances of a store')
    .description(
      'Runs the instances of a store until Ctrl+C: timers fire, and what other commands are told goes through this host. A store that does not exist is made.',
    )
    .argument('<store>', 'the folder of the store')
    .option(
      '--definition <name=file>',
      'a definition to start instances of; without a name it is called after its file; may be repeated',
      (given: string, before: readonly string[] | undefined) => [...(before ?? []), given],
    )
    .addOption(new Option('--store <kind>', 'the kind of a new store').choices(storeKinds))
    .addOption(
      new Option('--fsync <when>', 'when the device is made to write').choices([
        'always',
        'batch',
        'never',
      ]),
    )
    .addHelpText(
      'after',
      `
Messages for contacts are printed, or posted with --webhook. On SIGINT and SIGTERM
what is under way has --within milliseconds to come to its end; the rest goes on
when the store is opened again.
${examples([
  'dramaturg serve conversations --definition intake.plan.json',
  'dramaturg serve conversations --definition support=flows/support.plan.json --webhook https://example.com/out',
  'dramaturg serve runs --definition order.asl.json --agents agents.mjs --json',
  'dramaturg serve conversations --definition intake.plan.json --model openai:gpt-5 --max-calls 100',
])}`,
    )
    .action(async (folder: string, options: ServeOptions) => {
      try {
        done(await serve(folder, options));
      } catch (error) {
        throw told(error, folder);
      }
    });
}

async function serve(folder: string, options: ServeOptions): Promise<ExitCode> {
  const limits = await readLimits(options);
  const definitions = await readDefinitions(options.definition ?? [], options);
  if (!definitions) return exitCodes.errorsFound;
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
      : showOn(output.write),
    definitions: Object.fromEntries(compiled),
    kind: options.store,
    fsync: options.fsync,
    agents: options.agents,
    model: options.model,
    baseUrl: options.baseUrl,
    webhook: options.webhook,
    limits,
    within: options.within,
    onStoreError: (error: StoreError) => {
      process.stderr.write(`dramaturg: ${visible(error.message)}\n`);
      // Nothing more can be stored, so that nothing more must be done.
      if (error.code !== 'store/lost') return;
      lost = error;
      stop.abort();
    },
    onError: (error: unknown, doing: string) => {
      const reason = error instanceof Error ? error.message : String(error);
      process.stderr.write(`dramaturg: ${visible(`${doing} failed: ${reason}`)}\n`);
    },
  };
  const interrupt = () => stop.abort();
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  const desk = await whileOpening(folder, openPatiently(settings));
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
  // The socket goes first: while the store is given up, another host may take it and make its own.
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
  return `The host of "${visible(folder)}" runs${names === '' ? '' : `, with ${names}`}. Ctrl+C stops it.`;
}

/** Milliseconds to wait for a command that has the store for a moment. */
const patience = 5_000;

async function openPatiently(settings: Parameters<typeof openHost>[0]): Promise<LocalDesk> {
  const deadline = Date.now() + patience;
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
