import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { visible } from '@dramaturg/compiler';
import { type FsyncMode, StoreError } from '@dramaturg/host';
import type { Holder } from '@dramaturg/postgres';
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
import { type HostSettings, openHost } from '../desk/open-host.ts';
import { ownerName } from '../desk/open-desk.ts';
import { httpOf, type HttpOptions, withHttpOptions } from '../http-options.ts';
import { type HostOptions, withHostOptions, withJson, storeArgument } from '../host-options.ts';
import { type StoreKind, storeKinds } from '../desk/store-folder.ts';
import { fullNameOf, placeOf } from '../desk/store-place.ts';
import { printHostError } from '../print/host-error.ts';
import { withOpeningNotice } from '../print/opening-notice.ts';
import type { Service } from '../../../service/serve-operations.ts';
import { explainFailures } from '../desk/explain-failures.ts';
import {
  type HandlerOptions,
  requireNoHandlers,
  withHandlers,
} from '../restate/handler-options.ts';
import { restateAt } from '../restate/location.ts';

interface ServeOptions extends HostOptions, DefinitionOptions, HandlerOptions, HttpOptions {
  readonly definition?: readonly string[];
  readonly store?: StoreKind;
  readonly fsync?: FsyncMode;
  readonly standby?: true;
}

export function serveCommand(done: (code: ExitCode) => void): Command {
  return withHandlers(
    withHttpOptions(
      withHostOptions(withJson(withDefinitionOptions(command('serve')), 'print lines of JSON')),
    ),
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
    .option('--standby', 'wait for a store in Postgres that another host has, and take it over')
    .addHelpText(
      'after',
      `
Messages for contacts are printed, or posted with --webhook. On SIGINT and
SIGTERM, running work has --within milliseconds to finish. The rest continues
when the store is opened again.

With --standby, any number of processes wait for a store in Postgres. One of them
takes it when its host stops, crashes or is cut off. A host that has lost its
store waits for it again; without --standby it ends with the exit code 8.

With --restate, this process serves the handlers of instances on Restate. Start
it several times for more turns: processes on one machine share the address.
${examples([
  'dramaturg serve conversations --definition intake.plan.json',
  'dramaturg serve conversations --definition support=flows/support.plan.json --webhook https://example.com/out',
  'dramaturg serve runs --definition order.asl.json --agents agents.mjs --json',
  'dramaturg serve conversations --definition intake.plan.json --model openai:gpt-5 --max-calls 100',
  'dramaturg serve conversations --definition intake.plan.json --http 127.0.0.1:8080',
  'dramaturg serve "postgres://app@db.example.com/app?schema=support" --standby',
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
  const print = (value: object, text: string) =>
    output.write(options.json ? `${visibleJson(JSON.stringify(value))}\n` : `${text}\n`);
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  const name = nameToShow(folder);
  for (;;) {
    // A store in files reports its loss itself.
    const settings: HostSettings = {
      folder,
      name: ownerName('serve'),
      show: options.json
        ? (message: object) => print({ type: 'message', ...message }, '')
        : showWith(output.write),
      definitions: Object.fromEntries(compiled),
      kind: options.store,
      fsync: options.fsync,
      standby: options.standby
        ? {
            signal: stop.signal,
            onWaiting: (owner) =>
              print(
                { type: 'waiting', ...(owner && { owner: { ...owner, token: `${owner.token}` } }) },
                waiting(name, owner),
              ),
            onUnreachable: (error) => printHostError(error, 'waiting for the store', 1),
          }
        : undefined,
      agents: options.agents,
      s3: options.s3,
      pool: options.pool,
      model: options.model,
      baseUrl: options.baseUrl,
      webhook: options.webhook,
      limits,
      callTimeout: options.callTimeout,
      settleTimeoutMs: options.within,
      onStoreError: (error) => process.stderr.write(`dramaturg: ${visible(error.message)}\n`),
      // The loss of the store is printed once, below.
      onError: (error, ...rest) => {
        if (!isLoss(error)) printHostError(error, ...rest);
      },
    };
    const desk = await opened(settings, stop.signal);
    if (desk === undefined) break;
    let service: Service;
    try {
      // Loaded here because it is slow to load and most commands do not need it.
      const { serveOperations } = await import('../../../service/serve-operations.ts');
      service = await serveOperations(desk, {
        store: folder,
        onError: (error) => printHostError(error, 'checking who may do what', 1),
        ...httpOf(options),
      });
    } catch (error) {
      await desk.close();
      throw error;
    }
    const { url, notice } = service;
    if (notice !== undefined) process.stderr.write(`${notice}\n`);
    const known = desk.host.definitions;
    print(
      { type: 'ready', pid: process.pid, definitions: known, ...(url && { url }) },
      `${output.paint('green', '✓')} ${ready(name, known, url)}`,
    );
    const interrupted = stop.signal.aborted
      ? undefined
      : once(stop.signal, 'abort').then(() => undefined);
    const loss = await Promise.race([desk.host.stopped, interrupted]);

    if (!options.json) output.write('Stopping ...\n');
    // The socket is removed first: while the store is being released, another host may take it and create its own socket.
    service.close();
    await desk.host.stop({ within: options.within });
    service.destroy();
    if (!isLoss(loss)) break;
    if (!options.standby) throw loss;
    process.stderr.write(`dramaturg: ${visible(loss.message)}\n`);
    if (options.json) print({ type: 'lost', error: loss.message, code: loss.code }, '');
  }
  print({ type: 'stopped' }, 'Stopped.');
  return exitCodes.fine;
}

function isLoss(error: unknown): error is StoreError {
  return error instanceof StoreError && error.code === 'store/lost';
}

/** @returns undefined when the command was interrupted while it waited for the store */
async function opened(settings: HostSettings, signal: AbortSignal): Promise<LocalDesk | undefined> {
  if (!settings.standby)
    return withOpeningNotice(nameToShow(settings.folder), openWhenReleased(settings));
  try {
    return await openHost(settings);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

/** Without the password of an address. */
function nameToShow(store: string): string {
  return visible(placeOf(store).kind === 'postgres' ? fullNameOf(store) : store);
}

function waiting(store: string, owner: Holder | undefined): string {
  const end = 'Ctrl+C ends the waiting.';
  if (owner === undefined) return `Waiting for "${store}". ${end}`;
  const { pid, host, since } = owner;
  return `Waiting for "${store}": it is in use by "${visible(owner.owner)}", process ${pid} on ${visible(host)}, since ${since}. ${end}`;
}

function ready(store: string, definitions: readonly string[], url: string | undefined): string {
  const names = definitions.map((name) => `"${visible(name)}"`).join(', ');
  const where = url === undefined ? '' : ` on ${url}`;
  return `Serving "${store}"${names === '' ? '' : ` with ${names}`}${where}. Ctrl+C stops the host.`;
}

/** How long to wait for another command to release the store. */
const ownershipTimeoutMs = 5_000;

async function openWhenReleased(settings: HostSettings): Promise<LocalDesk> {
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
