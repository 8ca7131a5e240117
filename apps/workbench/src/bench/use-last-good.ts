import { useState } from 'react';
import type { CompiledDefinition } from './use-definition.ts';

/**
 * The last definition without errors, while the text has some: its chart and its run stay. A text that replaces the whole
 * definition begins anew.
 *
 * @param epoch differs after each replacement
 */
export function useLastGood(compiled: CompiledDefinition, epoch: number): CompiledDefinition {
  const [kept, setKept] = useState({ seen: compiled, good: compiled, epoch });
  // The text is compiled some time after it has changed, so the epoch counts when there is a result.
  if (compiled === kept.seen) return kept.good;
  const keepsGood = !compiled.machine && kept.good.machine && epoch === kept.epoch;
  const good = keepsGood ? kept.good : compiled;
  setKept({ seen: compiled, good, epoch });
  return good;
}
