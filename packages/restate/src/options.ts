import type { HostOptions } from '@dramaturg/host';
import { hostOptionNames } from '@dramaturg/host/engine';
import type { ListenOptions } from './restate/handler-server.ts';

/**
 * The options of a host on Restate. All that a host of one machine has for its store and its clock is Restate's business.
 * `maxActive` and `maxItems` change nothing: instances are in memory during a step only.
 */
export interface RestateHostOptions extends Omit<HostOptions, 'store' | 'clock'> {
  /** Where Restate takes calls, such as `http://localhost:8080`. */
  readonly ingress: string;
  /** Where Restate is administered, such as `http://localhost:9070`. */
  readonly admin: string;
  /** Separates the hosts of several tenants on one Restate: they share nothing. `dramaturg` when left out. */
  readonly namespace?: string;
  /** Where this process serves its handlers. False for a host that only sends commands: other processes serve them. */
  readonly handlers?: HandlerOptions | false;
}

export interface HandlerOptions extends ListenOptions {
  /** The URL at which Restate reaches the handlers. The address that the process listens on when left out. */
  readonly advertised?: string;
  /**
   * The public keys of the Restate that may call the handlers, as it logs them when it starts with a private key:
   * `publickeyv1_…`. Without keys, everybody who reaches the address may.
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
