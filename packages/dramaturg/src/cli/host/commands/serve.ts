import { once } from 'node:events';
import { visible } from '@dramaturg/compiler/text';
import type { StoreError } from '@dramaturg/host';
import { Option } from 'commander';
import { command, type Command, examples, storeArgument } from '../../command.ts';
import { withDefinitionOptions } from '../../definition-options.ts';
import { readLimits } from '../../limits.ts';
import { loadRestate } from '../../optional-packages.ts';
import { outputTo } from '../../output.ts';
import { type ExitCode, UsageError } from '../../usage-error.ts';
import {
  commonSettings,
  conversationOf,
  isLoss,
  readyText,
  requireNoHandlers,
  type ServeCommandOptions,
  waitingText,
  withChannelOptions,
  withHandlers,
  withHttpOptions,
} from '../serve-options.ts';
import { providerChannels } from '../gateway/provider-channels.ts';
import { readDefinitions } from '../../definition-file.ts';
import type { LocalGateway } from '../gateway/gateway.ts';
import { type HostSettings, openHost } from '../gateway/open-host.ts';
import { openWhenReleased, ownerName, withOpeningNotice } from '../gateway/open-gateway.ts';
import { preparedTracing, type PreparedTracing, withTracing } from '../tracing.ts';
import { collect, readWholeNumber, withHostOptions } from '../host-options.ts';
import { fullNameOf, placeOf, storeKinds } from '../gateway/store-folder.ts';
import { explainFailures, printHostError } from '../gateway/explain-error.ts';
import type { RunningService } from '../../../service/running-service.ts';
import { restateAt } from '../restate/location.ts';
import type { Print } from '../listen-for.ts';
import { watchHost } from '../watch-host.ts';

/** Options that `--config` excludes: the file has them as fields, or does not support them. */
const inFile: readonly (keyof ServeCommandOptions | 'restate')[] = [
  'http',
  'tokens',
  'audit',
  'publicUrl',
  'allowHost',
  'allowOrigin',
  'mcp',
  'desk',
  'channel',
  'answer',
  'definition',
  'model',
  'baseUrl',
  'agents',
  'store',
  'standby',
  'restate',
];

export function serveCommand(): Command {
  return withHandlers(
    withChannelOptions(
      withTracing(
        withHttpOptions(
          withHostOptions(withDefinitionOptions(command('serve')).json('print lines of JSON')),
        ),
      ),
    ),
  )
    .description(
      'Runs the instances of a store until Ctrl+C: fires their timers, and serves all other commands on the store. Creates the store if it does not exist.',
    )
    .argument('[store]', storeArgument)
    .addOption(
      new Option(
        '--config <file>',
        'in place of a store: a YAML or JSON file with the tenants of the service, each with a store, definitions, channels and a model of its own',
      ).conflicts([...inFile]),
    )
    .option(
      '--definition <name=file>',
      'a definition to start instances of; may be repeated; the name is that of the file by default',
      collect,
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
    .option(
      '--drain <ms>',
      'milliseconds after a signal in which requests are accepted and /readyz answers 503',
      readWholeNumber,
    )
    .addHelpText(
      'after',
      `
Messages for contacts are printed, or posted with --webhook. On SIGINT and
SIGTERM, running work has --within milliseconds to finish. The rest continues
when the store is opened again. A second signal ends the process at once.

With --standby, any number of processes wait for a store in Postgres. One of them
takes it when its host stops, crashes or is cut off. A host that has lost its
store waits for it again; without --standby it ends with the exit code 8.

With --channel, people write to the host through Telegram, Slack, Twilio, e-mail
or signed webhooks: the provider posts to /channels/<name>/ of the service. Its
secrets are in the environment, and docs/channels.md lists the variables.

With --config, one process serves several tenants. SIGHUP reads the file again:
only tenants that have changed are opened anew. docs/service.md has an example.

With --otlp, or with the variable OTEL_EXPORTER_OTLP_ENDPOINT, traces and metrics
go to an OpenTelemetry collector, without texts and data of people. Headers with
secrets are in OTEL_EXPORTER_OTLP_HEADERS. docs/traces.md has the rest.

With --restate, this process serves the handlers of instances on Restate. Start
it several times for more turns: processes on one machine share the address of
the handlers, and each has an address of its own for --http.
${examples([
  'dramaturg serve conversations --definition intake.plan.json',
  'dramaturg serve conversations --definition support=flows/support.plan.json --webhook https://example.com/out',
  'dramaturg serve runs --definition order.asl.json --agents agents.mjs --json',
  'dramaturg serve conversations --definition intake.plan.json --model openai:gpt-6-luna --max-calls 100',
  'dramaturg serve conversations --definition intake.plan.json --http 127.0.0.1:8080',
  'dramaturg serve conversations --definition intake.plan.json --http 127.0.0.1:8080 --desk --tokens tokens.json',
  'dramaturg serve runs --definition order.asl.json --mcp-config .mcp.json',
  'dramaturg serve "postgres://app@db.example.com/app?schema=support" --standby',
  'dramaturg serve conversations --definition intake.plan.json --channel telegram --http 127.0.0.1:8080 --public-url https://desk.example.com',
  'dramaturg serve --config service.yaml',
  'dramaturg serve conversations --definition intake.plan.json --otlp http://127.0.0.1:4318',
  'dramaturg serve --restate http://localhost:8080 --definition intake.plan.json --desk',
])}`,
    )
    .action(async (folder: string | undefined, options: ServeCommandOptions) => {
      if ((folder === undefined) === (options.config === undefined))
        throw new UsageError(
          folder === undefined
            ? 'Nothing says what to serve.'
            : 'The stores are in the file of --config.',
          'Name a store, or a file of tenants: dramaturg serve --config service.yaml',
        );
      if (folder === undefined) {
        const { serveTenants } = await import('../serve-tenants.ts');
        return serveTenants(options.config!, options);
      }
      const location = restateAt(folder);
      return explainFailures(folder, async () => {
        if (location) {
          const load = () => import('../restate/serve-restate.ts');
          return (await loadRestate(load)).serveRestate(location, options);
        }
        requireNoHandlers(options);
        return serve(folder, options);
      });
    });
}

async function serve(folder: string, options: ServeCommandOptions): Promise<ExitCode> {
  const limits = await readLimits(options);
  const definitions = await readDefinitions(options.definition ?? [], options);
  const compiled = Object.entries(definitions).map(
    ([name, file]) => [name, file.compiled] as const,
  );
  const orStart = conversationOf(options, Object.keys(definitions));
  const providers = await providerChannels(options.channel ?? [], options.publicUrl);
  const tracing = await preparedTracing(options, folder, warn);
  // Loaded here because it is slow to load and most commands do not need it.
  const { printFor, serveWith, showFor } = await import('../listen-for.ts');
  const print = printFor(options);
  return serveWith(options, print, async (stop, service) => {
    const name = nameToShow(folder);
    // A store in files reports its loss itself.
    const settings: HostSettings = {
      folder,
      name: ownerName('serve'),
      show: showFor(options),
      definitions: Object.fromEntries(compiled),
      kind: options.store,
      standby: options.standby
        ? {
            signal: stop,
            onWaiting: (owner) =>
              print(
                {
                  type: 'waiting',
                  ...(owner && { owner: { ...owner, token: `${owner.token}` } }),
                  ...(service.url !== undefined && { url: service.url }),
                },
                waitingText(name, owner),
              ),
            onUnreachable: (error) => printHostError(error, 'waiting for the store', 1),
          }
        : undefined,
      agents: options.agents,
      model: options.model,
      baseUrl: options.baseUrl,
      tracing,
      providers,
      orStart,
      limits,
      ...commonSettings(options),
    };
    for (;;) {
      const gateway = await opened(settings, stop);
      if (gateway === undefined) break;
      const loss = await serveUntil(stop, {
        gateway,
        service,
        tracing,
        print,
        name,
        options,
      });
      if (loss === undefined) break;
      if (!options.standby) throw loss;
      process.stderr.write(`dramaturg: ${visible(loss.message)}\n`);
      if (options.json) print({ type: 'lost', error: loss.message, code: loss.code }, '');
    }
  });
}

interface Serving {
  readonly gateway: LocalGateway;
  readonly service: RunningService;
  readonly tracing: PreparedTracing | undefined;
  readonly print: Print;
  /** The name of the store. */
  readonly name: string;
  readonly options: ServeCommandOptions;
}

/** Serves a host until the command is interrupted. @returns why the host lost its store, if it did */
async function serveUntil(
  stop: AbortSignal,
  { gateway, service, tracing, print, name, options }: Serving,
): Promise<StoreError | undefined> {
  const { host } = gateway;
  let traces: Awaited<ReturnType<PreparedTracing['start']>> | undefined;
  try {
    traces = await tracing?.start(host);
    await service.serve(gateway);
  } catch (error) {
    await gateway.close();
    throw error;
  }
  const { url } = service;
  const known = host.definitions;
  print(
    { type: 'ready', pid: process.pid, definitions: known, ...(url !== undefined && { url }) },
    `${outputTo(process.stdout).paint('green', '✓')} ${readyText(`"${name}"`, known, url, options.desk)} Ctrl+C stops the host.`,
  );
  const unwatch = options.json ? undefined : watchHost(gateway);
  const interrupted = stop.aborted ? undefined : once(stop, 'abort').then(() => undefined);
  const ended = await Promise.race([host.stopped, interrupted]);
  const loss = isLoss(ended) ? ended : undefined;
  unwatch?.();
  if (!options.json) outputTo(process.stdout).write('Stopping ...\n');
  if (loss === undefined) {
    await service.leave(options.drain);
  } else {
    // The socket is removed first: while the store is being released, another host may take it and create its own socket.
    service.suspend();
  }
  await traces?.stop({ within: tracesTimeoutMs });
  await host.stop({ within: options.within });
  return loss;
}

/** How long to wait until a collector has taken the last spans. The next process sends the remaining ones. */
const tracesTimeoutMs = 2_000;

function warn(sentence: string): void {
  process.stderr.write(`dramaturg: ${sentence}\n`);
}

/** @returns undefined when the command was interrupted while it waited for the store */
async function opened(
  settings: HostSettings,
  signal: AbortSignal,
): Promise<LocalGateway | undefined> {
  if (!settings.standby)
    return withOpeningNotice(nameToShow(settings.folder), openWhenReleased(settings));
  try {
    return await openHost(settings);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

/** The name of a store, without the password of an address. */
function nameToShow(store: string): string {
  return visible(placeOf(store).kind === 'postgres' ? fullNameOf(store) : store);
}
