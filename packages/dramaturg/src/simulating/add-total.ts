import type { UsageTotal } from '@dramaturg/host';
import { addCall } from '@dramaturg/host/engine';

/** Adds the usage of one part to the usage of others. */
export function addTotal(total: UsageTotal, { calls, unpriced, ...used }: UsageTotal): UsageTotal {
  const sums = { ...addCall(total, { time: used.time, usage: used }), calls: total.calls + calls };
  return unpriced === undefined ? sums : { ...sums, unpriced };
}
