import { visible } from '@dramaturg/compiler/text';
import { type FsyncMode, StoreError } from '@dramaturg/host';
import type { DefinitionOptions } from '../definition-options.ts';
import type { ChannelOptions } from './channel-options.ts';
import type { HostSettings } from './gateway/open-host.ts';
import type { StoreKind } from './gateway/store-folder.ts';
import type { HostOptions } from './host-options.ts';
import type { HttpOptions } from './http-options.ts';
import { printHostError } from './print/host-error.ts';
import type { HandlerOptions } from './restate/handler-options.ts';
import type { TracingOptions } from './tracing.ts';

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
