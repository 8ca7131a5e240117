import { badRequest } from '../errors.ts';
import type { PortName } from '@dramaturg/compiler';
import { isMetered } from '../limits/index.ts';
import type { HostOptions } from './options.ts';

/** How much work of a host runs at the same time, and how long. */
export interface Bounds {
  readonly callConcurrencyOf: (port: PortName) => number;
  /** Milliseconds; `Infinity` disables the limit. */
  readonly callTimeoutOf: (port: PortName) => number;
  readonly deliveryConcurrencyOf: (channel: string) => number;
  /** Milliseconds. */
  readonly deliveryTimeout: number;
}

type BoundOptions = Pick<
  HostOptions,
  'callConcurrency' | 'callTimeout' | 'deliveryConcurrency' | 'deliveryTimeout'
>;

const minute = 60_000;

/** The same as in the clients of the large model services. */
const modelTimeout = 10 * minute;

/** Agents and tools are programs: they may search, build or wait for other programs. */
const callTimeouts: Partial<Record<PortName, number>> = {
  runAgent: 60 * minute,
  callTool: 60 * minute,
};

/** @throws HostError `host/bad-request` */
export function boundsOf(options: BoundOptions): Bounds {
  const { callConcurrency, callTimeout, deliveryConcurrency, deliveryTimeout = 30_000 } = options;
  for (const [name, given] of Object.entries({
    callConcurrency,
    callTimeout,
    deliveryConcurrency,
    deliveryTimeout,
  }))
    requirePositive(name, given);
  return {
    // A person may take weeks to decide.
    callConcurrencyOf: (port) =>
      isMetered(port) ? (valueOf(callConcurrency, port) ?? 256) : Infinity,
    callTimeoutOf: (port) => valueOf(callTimeout, port) ?? callTimeouts[port] ?? modelTimeout,
    deliveryConcurrencyOf: (channel) => valueOf(deliveryConcurrency, channel) ?? 64,
    deliveryTimeout,
  };
}

type Given = number | Readonly<Record<string, number | undefined>> | undefined;

function valueOf(given: Given, name: string): number | undefined {
  if (typeof given !== 'object') return given;
  return Object.hasOwn(given, name) ? given[name] : undefined;
}

function requirePositive(name: string, given: Given): void {
  const values = typeof given === 'object' ? Object.values(given) : [given];
  for (const value of values) {
    if (value === undefined || (typeof value === 'number' && value > 0)) continue;
    throw badRequest(`The option "${name}" is ${String(value)}. Expected a number above 0.`);
  }
}
