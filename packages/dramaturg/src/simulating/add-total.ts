import type { UsageTotal } from '@dramaturg/host';
import { addCall } from '@dramaturg/host/engine';

/** Adds what one part has used to what others have used. */
export function addTotal(total: UsageTotal, { calls, unpriced, ...used }: UsageTotal): UsageTotal {
  const sums = { ...addCall(total, { time: used.time, usage: used }), calls: total.calls + calls };
  return unpriced === undefined ? sums : { ...sums, unpriced };
}
