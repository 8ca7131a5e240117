import { join } from 'node:path';
import { visible } from '@dramaturg/compiler/text';
import { type HostEvent, memoryStore } from '@dramaturg/host';
import type { McpEvents } from '@dramaturg/mcp/server';
import { glob } from 'tinyglobby';
import { type LocalHost, localHost } from '../../../service/local-host.ts';
import { createHost } from '../../../host.ts';
import { formats } from '../../../known-formats.ts';
import { type Command, command, examples } from '../../command.ts';
import {
  DefinitionError,
  type DefinitionFile,
  nameOf,
  readDefinition,
  readDefinitions,
} from '../../definition-file.ts';
import { type DefinitionOptions, withDefinitionOptions } from '../../definition-options.ts';
import { statusOf } from '../../files.ts';
import { interruptible } from '../../interruptible.ts';
import { readLimits } from '../../limits.ts';
import { loadMcpServer } from '../../optional-packages.ts';
import { type ExitCode, exitCodes, UsageError } from '../../usage-error.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { explainFailures, printHostError } from '../gateway/explain-error.ts';
import { hostPorts, type HostSettings } from '../gateway/open-host.ts';
import { openGateway, ownerName } from '../gateway/open-gateway.ts';
import { isStore } from '../gateway/store-folder.ts';
import { collect, type HostOptions, withHostOptions } from '../host-options.ts';

interface McpOptions extends HostOptions, DefinitionOptions {
  readonly definition?: readonly string[];
}

export function mcpCommand(): Command {
  return withHostOptions(
    withDefinitionOptions(command('mcp')).json('print a failure as one JSON value'),
  )
    .description(
      'Serves a store or a folder of definitions to an assistant, on the standard streams: each definition is a tool, decisions are tools, and transcripts and charts are resources. An editor starts this command.',
    )
    .argument('<store>', 'a store, or a folder of definitions, whose instances are kept in memory')
    .option(
      '--definition <name=file>',
      'a definition to start instances of; may be repeated; the name is that of the file by default',
      collect,
    )
    .addHelpText(
      'after',
      `
The client has every right of this command. It ends when the client closes its
standard input. A host that runs the store is used; without one, this command is
the host. It needs the package @dramaturg/mcp.
${examples([
  'dramaturg mcp flows',
  'dramaturg mcp conversations --definition intake.plan.json --model openai:gpt-6-luna',
])}`,
    )
    .action(async (store: string, options: McpOptions) => {
      return explainFailures(store, () => serveMcp(store, options));
    });
}

async function serveMcp(store: string, options: McpOptions): Promise<ExitCode> {
  const isKnown = await isStore(store);
  const isFolder = !isKnown && (await statusOf(store))?.isDirectory() === true;
  if (!isKnown && !isFolder)
    throw new UsageError(
      `There is no store and no folder "${visible(store)}".`,
      'Name the folder of your definitions, or a store that "dramaturg start" has created.',
      exitCodes.usage,
      'store/missing',
    );
  if (isFolder) requireForFolder(options);
  const definitions = {
    ...(isFolder && (await definitionsIn(store, options))),
    ...(await readDefinitions(options.definition ?? [], options)),
  };
  const settings = await settingsOf(store, options, definitions);
  const mcp = await loadMcpServer();
  return interruptible(async (stop) => {
    const gateway = isKnown ? await openGateway(settings) : await inMemory(settings);
    try {
      for (const { order } of gateway.isServed ? Object.values(definitions) : []) {
        const { name, ...file } = order;
        await gateway.define(name, file);
      }
      await mcp.serveMcp(gateway, stop, eventsOf(gateway));
    } finally {
      await gateway.close();
    }
    return exitCodes.fine;
  });
}

/** The events of the host of a gateway, in this process or in another one. */
function eventsOf(gateway: LocalHost | Gateway): McpEvents | undefined {
  if ('host' in gateway) return gateway.events;
  const { follow } = gateway;
  return follow && ((filter) => following(follow, filter));
}

async function* following(
  follow: NonNullable<Gateway['follow']>,
  { signal, ...filter }: Parameters<McpEvents>[0],
): AsyncGenerator<HostEvent> {
  const events = await follow(filter);
  signal?.addEventListener('abort', events.close, { once: true });
  if (signal?.aborted) events.close();
  yield* events;
}

/** @throws UsageError for options that need a store */
function requireForFolder({ pool, webhook }: McpOptions): void {
  const ofStores = { '--pool': pool, '--webhook': webhook };
  for (const [name, value] of Object.entries(ofStores))
    if (value !== undefined)
      throw new UsageError(
        `${name} is for a store, and this folder has definitions, whose instances are kept in memory.`,
        `Leave out ${name}, or name a store.`,
      );
}

async function settingsOf(
  folder: string,
  options: McpOptions,
  definitions: Readonly<Record<string, DefinitionFile>>,
): Promise<HostSettings> {
  const compiled = Object.entries(definitions).map(
    ([name, file]) => [name, file.compiled] as const,
  );
  return {
    ...options,
    folder,
    name: ownerName('mcp'),
    // Standard output belongs to the protocol. Clients read messages in answers and transcripts.
    show: () => {},
    definitions: Object.fromEntries(compiled),
    limits: await readLimits(options),
    settleTimeoutMs: options.within,
    onError: printHostError,
  };
}

/** A host whose instances end with this process. */
async function inMemory(settings: HostSettings) {
  const { folder: _folder, definitions = {}, limits, callTimeout, name, ...given } = settings;
  const { ports, close } = await hostPorts({ ...given, callTimeout }, () => host);
  const host = await createHost({
    store: memoryStore(),
    name,
    definitions,
    ports,
    limits,
    ...(callTimeout !== undefined && { callTimeout }),
    onError: printHostError,
  });
  return {
    ...localHost(host, { channels: [] }),
    isServed: false,
    close: () => host.stop().then(close),
  };
}

/**
 * The definitions of a folder, by their file names. The errors of a definition are printed, and it is left out: an assistant may
 * be about to repair it.
 */
async function definitionsIn(
  folder: string,
  options: DefinitionOptions,
): Promise<Readonly<Record<string, DefinitionFile>>> {
  const suffixes = formats.flatMap(({ suffixes: each }) => each);
  const files = await glob('**/*', { cwd: folder, ignore: ['**/node_modules/**'] });
  const definitions = new Map<string, DefinitionFile>();
  for (const file of files.toSorted()) {
    if (!suffixes.some((suffix) => file.endsWith(suffix))) continue;
    const short = nameOf(file);
    const name = definitions.has(short) ? file : short;
    try {
      definitions.set(name, await readDefinition(join(folder, file), name, options));
    } catch (error) {
      if (!(error instanceof DefinitionError)) throw error;
      process.stderr.write(`dramaturg: "${visible(file)}" has errors and is left out.\n`);
    }
  }
  return Object.fromEntries(definitions);
}
