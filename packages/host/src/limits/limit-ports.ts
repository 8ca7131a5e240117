import type { Port, PortName, Ports } from '@dramaturg/compiler';
import { askWithin, usesUp } from './ask-within-limits.ts';
import { type Limits, limitsIn } from './limits.ts';
import { nothingUsed, withCall } from './usage-total.ts';

/**
 * Ports for one conversation or workflow in memory, within limits: before each call it is looked whether they allow
 * another, which else fails with `port/limit-reached`. A host does the same by itself, given `limits`.
 *
 *     const machine = providePorts(compiled.machine, limitPorts(ports, { tokens: 100_000 }));
 *
 * @throws TypeError when something is no limit
 */
export function limitPorts<Given extends Partial<Ports>>(ports: Given, given: Limits): Given {
  const limits = limitsIn(given);
  let used = nothingUsed;
  let underWay = 0;
  const limited =
    (name: PortName, port: Port<PortName>): Port<PortName> =>
    async (input, call) => {
      const asked = askWithin(name, port, input, call, { limits, used, underWay: () => underWay });
      underWay += 1;
      const { ending, use } = await asked;
      underWay -= 1;
      if (use) used = withCall(used, use);
      if ('error' in ending) throw ending.error;
      return ending.output as never;
    };
  return Object.fromEntries(
    (Object.entries(ports) as [PortName, Port<PortName> | undefined][]).map(([name, port]) => [
      name,
      port && usesUp(name) ? limited(name, port) : port,
    ]),
  ) as Given;
}
