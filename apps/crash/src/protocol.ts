import type { FsyncMode, StartOptions } from '@dramaturg/host';
import type { StoreKind } from './store-kind.ts';

/** The messages between the parent and the process that it kills. */

export interface Mission {
  readonly folder: string;
  readonly store: StoreKind;
  readonly fsync: FsyncMode;
  /** The address of the channel and the agents. */
  readonly world: string;
  /** The point where the process ends, and at which visit. */
  readonly killAt?: { readonly point: string; readonly times: number };
}

export type Command = { readonly number: number } & CommandBody;

export type CommandBody =
  | { readonly do: 'start'; readonly definition: string; readonly options: StartOptions }
  | {
      readonly do: 'receive';
      readonly message: { readonly contact: string; readonly id: string; readonly text: string };
    }
  | { readonly do: 'decide'; readonly id: string }
  | { readonly do: 'decisions'; readonly instance: string }
  | { readonly do: 'decide on'; readonly decision: string; readonly by: string }
  | { readonly do: 'state'; readonly id: string }
  | { readonly do: 'stop' };

export type Reply = { readonly value: unknown } | { readonly error: string };

export type FromChild =
  | { readonly type: 'ready' }
  | { readonly type: 'point'; readonly point: string; readonly times: number }
  /** The host has stored the receipt of a message, which must not be delivered again. */
  | { readonly type: 'receipt'; readonly id: string }
  | { readonly type: 'trouble'; readonly message: string }
  | { readonly type: 'reply'; readonly number: number; readonly reply: Reply };
