import { visible } from '@dramaturg/compiler/text';
import { type ChannelConversation, type FsyncMode, StoreError } from '@dramaturg/host';
import type { Holder } from '@dramaturg/postgres';
import { Option } from 'commander';
import type { DefinitionOptions } from '../definition-options.ts';
import { UsageError } from '../usage-error.ts';
import type { Command } from '../command.ts';
import type { ServeOptions } from '../../service/running-service.ts';
import type { HostSettings } from './gateway/open-host.ts';
import type { StoreKind } from './gateway/store-folder.ts';
import { collect, type HostOptions } from './host-options.ts';
import { printHostError } from './gateway/explain-error.ts';
import type { TracingOptions } from './tracing.ts';
import { type ProviderName, providerNames } from './gateway/provider-channels.ts';

export interface ServeCommandOptions
  extends
    HostOptions,
    DefinitionOptions,
    HandlerOptions,
    HttpOptions,
    ChannelOptions,
    TracingOptions {
  readonly config?: string;
  readonly definition?: readonly string[];
  readonly store?: StoreKind;
  readonly fsync?: FsyncMode;
  readonly standby?: true;
  /** Milliseconds. */
  readonly drain?: number;
}

/** The settings of each host that a process serves. */
export function commonSettings(options: ServeCommandOptions) {
  return {
    s3: options.s3,
    mcpServer: options.mcpServer,
    mcpConfig: options.mcpConfig,
    pool: options.pool,
    combineReplies: options.combineReplies,
    webhook: options.webhook,
    fsync: options.fsync,
    callTimeout: options.callTimeout,
    settleTimeoutMs: options.within,
    onStoreError: (error) => process.stderr.write(`dramaturg: ${visible(error.message)}\n`),
    // The code that waits for the end of the host prints the loss of the store, once.
    onError: (error, ...rest) => {
      if (!isLoss(error)) printHostError(error, ...rest);
    },
  } satisfies Partial<HostSettings>;
}

export function isLoss(error: unknown): error is StoreError {
  return error instanceof StoreError && error.code === 'store/lost';
}

/** The options of `serve --restate`. */
interface HandlerOptions {
  readonly listen?: string;
  readonly advertise?: string;
  readonly identityKey?: readonly string[];
}

export function withHandlers(command: Command): Command {
  return command
    .option(
      '--listen <host:port>',
      'with --restate: the address of the handlers (default: 127.0.0.1:9080)',
    )
    .option(
      '--advertise <url>',
      'with --restate: where Restate reaches the handlers, such as a load balancer (default: the address)',
    )
    .option(
      '--identity-key <key>',
      'with --restate: the public key of the Restate that may call the handlers; may be repeated',
      collect,
    );
}

/** @throws UsageError when an option is given that needs `--restate` */
export function requireNoHandlers({ listen, advertise, identityKey }: HandlerOptions): void {
  const given = { '--listen': listen, '--advertise': advertise, '--identity-key': identityKey };
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    throw new UsageError(
      `${name} is for handlers on Restate, and --restate is missing.`,
      'Add the URL for calls, such as: --restate http://localhost:8080',
    );
  }
}

/** Says who has the store that a standby waits for. */
export function waitingText(store: string, owner: Holder | undefined): string {
  const end = 'Ctrl+C ends the waiting.';
  if (owner === undefined) return `Waiting for "${store}". ${end}`;
  const { pid, host, since } = owner;
  return `Waiting for "${store}": it is in use by "${visible(owner.owner)}", process ${pid} on ${visible(host)}, since ${since}. ${end}`;
}

/**
 * Says what a host serves, and where.
 *
 * @param what the store or the namespace, in quotes
 */
export function readyText(
  what: string,
  definitions: readonly string[],
  url: string | undefined,
  hasDesk = false,
): string {
  const names = definitions.map((name) => `"${visible(name)}"`).join(', ');
  const page = hasDesk ? `, with the desk on ${url}/desk` : '';
  const where = url === undefined ? '' : ` on ${url}${page}`;
  return `Serving ${what}${names === '' ? '' : ` with ${names}`}${where}.`;
}

/** The options of a command that serves HTTP. */
export interface HttpOptions {
  readonly http?: string;
  readonly tokens?: string;
  readonly audit?: string;
  readonly publicUrl?: string;
  readonly allowHost?: readonly string[];
  readonly allowOrigin?: readonly string[];
  readonly mcp?: true;
  readonly desk?: true;
}

export function withHttpOptions(command: Command): Command {
  return command
    .option(
      '--http <address>',
      'also listen for HTTP, such as 127.0.0.1:8080; port 0 is any free one',
    )
    .option(
      '--tokens <file>',
      'who may do what over HTTP; without it, only this computer can connect',
    )
    .option('--audit <file>', 'append a line to this file for each action of an operator')
    .option(
      '--public-url <url>',
      'where other machines reach the service; commands on a store in Postgres use it',
    )
    .option(
      '--allow-host <name>',
      'a name under which clients reach the service; may be repeated',
      collect,
    )
    .option(
      '--allow-origin <origin>',
      'an origin whose pages may call the service; may be repeated',
      collect,
    )
    .option('--mcp', 'also serve the route /mcp over HTTP, for assistants')
    .option(
      '--desk',
      'also serve the page for operators under /desk; without --http, on a free port of this computer',
    );
}

const anyPort = '127.0.0.1:0';

/** @throws UsageError for options that have no effect without HTTP */
export function httpOf(options: HttpOptions): ServeOptions {
  const { allowHost: allowedHosts, allowOrigin: allowedOrigins, ...same } = options;
  const { tokens, audit, publicUrl, desk } = same;
  const http = same.http ?? (desk && anyPort);
  if (http === undefined) requireNoHttp(options);
  return { http, tokens, audit, publicUrl, desk, allowedHosts, allowedOrigins };
}

function requireNoHttp({ tokens, publicUrl, allowHost, allowOrigin, mcp }: HttpOptions): void {
  const given = {
    '--tokens': tokens,
    '--public-url': publicUrl,
    '--allow-host': allowHost,
    '--allow-origin': allowOrigin,
    '--mcp': mcp,
  };
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    throw new UsageError(
      `${name} is for a service over HTTP, and --http is missing.`,
      'Add --http 127.0.0.1:8080',
    );
  }
}

/** The options of a command that serves channels. */
export interface ChannelOptions {
  readonly channel?: readonly ProviderName[];
  readonly answer?: string;
}

export function withChannelOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--channel <name>',
        'a channel whose provider reaches the service over HTTP; may be repeated; its secrets are in the environment',
      )
        .choices(providerNames)
        .argParser((given, before: readonly string[] | undefined) => {
          if ((providerNames as readonly string[]).includes(given))
            return [...(before ?? []), given];
          throw new UsageError(
            `There is no channel "${given}".`,
            `Choose one of ${providerNames.join(', ')}.`,
          );
        }),
    )
    .option(
      '--answer <definition>',
      'the definition that the first message of a new contact starts (default: the only definition)',
    );
}

/**
 * The conversation that new contacts start.
 *
 * @param definitions the names of the definitions that the command was given
 * @throws UsageError when the options do not fit together
 */
export function conversationOf(
  { channel = [], answer, http }: ChannelOptions & { readonly http?: string },
  definitions: readonly string[],
): ChannelConversation | undefined {
  if (channel.length === 0) {
    if (answer === undefined) return undefined;
    throw new UsageError('--answer is for channels, and there is no --channel.', 'Add --channel.');
  }
  if (http === undefined)
    throw new UsageError(
      'Providers of channels reach the service over HTTP, and --http is missing.',
      'Add --http 127.0.0.1:8080, and forward the public address to it.',
    );
  const definition = answer ?? (definitions.length === 1 ? definitions[0] : undefined);
  if (answer !== undefined && !definitions.includes(answer))
    throw new UsageError(
      `--answer names "${answer}", which is not one of the definitions.`,
      definitions.length === 0 ? 'Add --definition.' : `Choose one of ${definitions.join(', ')}.`,
    );
  return definition === undefined ? undefined : { definition };
}

/** The host of the public address: providers send requests under this name. */
export function hostOf(publicUrl: string | undefined): readonly string[] {
  const host = publicUrl === undefined ? undefined : URL.parse(publicUrl)?.host;
  return host === undefined ? [] : [host];
}
