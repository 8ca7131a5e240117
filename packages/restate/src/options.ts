import type { HostOptions } from '@dramaturg/host';
import { hostOptionNames } from '@dramaturg/host/engine';
import type { ListenOptions } from './restate/handler-server.ts';

/**
 * The options of a host on Restate. Restate replaces the store and the clock. The processes share the place of `attachments`.
 * `maxActive` and `maxItems` have no effect:
 * instances are in memory only during a step.
 */
export interface RestateHostOptions extends Omit<HostOptions, 'store' | 'clock'> {
  /** The URL at which Restate takes calls, such as `http://localhost:8080`. */
  readonly ingress: string;
  /** The URL of Restate's admin API, such as `http://localhost:9070`. */
  readonly admin: string;
  /** The namespace of a tenant: hosts with different namespaces on one Restate share nothing. `dramaturg` when left out. */
  readonly namespace?: string;
  /** The address at which this process serves its handlers. False for a host that only sends commands: other processes serve them. */
  readonly handlers?: HandlerOptions | false;
}

export interface HandlerOptions extends ListenOptions {
  /** The URL at which Restate reaches the handlers. The address that the process listens on when left out. */
  readonly advertised?: string;
  /**
   * The public keys of the Restate that may call the handlers, in the form that it logs when it starts with a private key:
   * `publickeyv1_…`. Without keys, anyone who reaches the address may call them.
   */
  readonly identityKeys?: readonly string[];
}

const notOfRestate: readonly string[] = ['store', 'clock'];

/** The names of all options. Others are refused. */
export const restateHostOptionNames: readonly string[] = [
  ...hostOptionNames.filter((name) => !notOfRestate.includes(name)),
  'ingress',
  'admin',
  'namespace',
  'handlers',
];
