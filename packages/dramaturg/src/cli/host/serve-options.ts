import { visible } from '@dramaturg/compiler/text';
import { type FsyncMode, StoreError } from '@dramaturg/host';
import type { Holder } from '@dramaturg/postgres';
import type { DefinitionOptions } from '../definition-options.ts';
import { UsageError } from '../usage-error.ts';
import type { ChannelOptions } from './channel-options.ts';
import type { HostSettings } from './gateway/open-host.ts';
import type { StoreKind } from './gateway/store-folder.ts';
import { collect, type HostOptions } from './host-options.ts';
import type { HttpOptions } from './http-options.ts';
import { printHostError } from './gateway/explain-error.ts';
import type { TracingOptions } from './tracing.ts';
import type { Command } from '../command.ts';

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
