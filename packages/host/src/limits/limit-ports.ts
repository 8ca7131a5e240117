import type { Port, PortName, Ports } from '@dramaturg/compiler';
import type { Waits } from '../admission/deadline.ts';
import { askWithinLimits, isMetered } from './ask-within-limits.ts';
import { type Limits, parseLimits } from './limits.ts';
import { noUsage, addCall } from './usage-total.ts';

/**
 * Wraps the ports of one conversation or workflow in memory. Once a limit is reached, calls fail with `port/limit-reached`.
 * A host with the option `limits` does this itself.
 *
 * @throws TypeError when the limits are invalid
 *
 * @example
 * ```ts
 * const ports = limitPorts({ runAgent: async () => ({ result: 40 }) }, { calls: 1 });
 * const run = async () =>
 *   (await toPromise(createActor(providePorts(pricing.machine!, ports)).start())).status;
 * console.log(await run(), await run()); // → succeeded failed
 * ```
 */
export function limitPorts<Provided extends Partial<Ports>>(
  ports: Provided,
  options: Limits,
): Provided {
  const limits = parseLimits(options);
  let used = noUsage;
  let callsRunning = 0;
  const limited =
    (name: PortName, port: Port<PortName>): Port<PortName> =>
    async (input, call) => {
      const outcome = askWithinLimits(name, port, input, call, {
        limits,
        timeout: Infinity,
        used,
        callsRunning: () => callsRunning,
        waits: realWaits,
      });
      callsRunning += 1;
      const { ending, use } = await outcome;
      callsRunning -= 1;
      if (use) used = addCall(used, use);
      if ('error' in ending) throw ending.error;
      return ending.output as never;
    };
  return Object.fromEntries(
    (Object.entries(ports) as [PortName, Port<PortName> | undefined][]).map(([name, port]) => [
      name,
      typeof port === 'function' && isMetered(name) ? limited(name, port) : port,
    ]),
  ) as Provided;
}

/** The longest that `setTimeout` can wait, in milliseconds. */
const longestDelay = 2 ** 31 - 1;

const realWaits: Waits = {
  get now() {
    return performance.now();
  },
  after: (milliseconds, call) => {
    const timeout = setTimeout(call, Math.min(milliseconds, longestDelay));
    return () => clearTimeout(timeout);
  },
};
