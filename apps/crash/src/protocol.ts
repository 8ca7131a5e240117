import type { Chart } from '@dramaturg/compiler';
import type { FsyncMode, StartOptions } from '@dramaturg/host';
import type { RestateHostOptions } from '@dramaturg/restate';

/** The messages between the parent and the process that it kills. */

/** The exit code of a host that has lost its store to another host. */
export const lostExitCode = 40;

export interface Mission {
  readonly definitions: {
    readonly lifecycles: Readonly<Record<'conversation' | 'workflow', Chart>>;
    readonly flows: Readonly<
      Record<string, { readonly chart: Chart; readonly lifecycle: 'conversation' | 'workflow' }>
    >;
  };
  readonly folder: string;
  readonly store: StoreKind;
  readonly fsync: FsyncMode;
  /** The URL of a store in Postgres. */
  readonly database?: string;
  /** The addresses of Restate, and of the handlers. */
  readonly restate?: Pick<RestateHostOptions, 'ingress' | 'admin' | 'handlers'> & {
    readonly namespace: string;
  };
  /** The address of the channel and the agents. */
  readonly world: string;
  /** The point at which the process ends, and the number of the visit. */
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
  | { readonly do: 'settle' }
  | { readonly do: 'stop'; readonly within: number };

export type Reply = { readonly value: unknown } | { readonly error: string };

export type FromChild =
  | { readonly type: 'ready' }
  /** Sent when the host waits for the store. */
  | { readonly type: 'waiting' }
  | { readonly type: 'point'; readonly point: string; readonly times: number }
  /** Sent when the host has stored the receipt of a message, which must not be delivered again. */
  | { readonly type: 'receipt'; readonly id: string }
  | { readonly type: 'trouble'; readonly message: string }
  | { readonly type: 'reply'; readonly number: number; readonly reply: Reply };

export const storeKinds = ['lowdb', 'sqlite', 'postgres'] as const;

/** The kind of store: that of a host in one process, or Restate with several processes. */
export type StoreKind = (typeof storeKinds)[number] | 'restate';

/** The kinds whose disk can fail under the host. */
export const diskStoreKinds = ['lowdb', 'sqlite'] as const satisfies readonly StoreKind[];
