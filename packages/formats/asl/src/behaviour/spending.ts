import type { Effects } from '@dramaturg/compiler';
import type { Progress, WorkflowContext } from '../context.ts';
import { sumOf, type Used } from '../flow/usage.ts';
import type { StateAtWork } from './progress.ts';

/**
 * Counts what calls have used, then goes on. What a port has counted is told where the port is called; what an agent says
 * itself is told here.
 */
export function spending(
  state: StateAtWork,
  progress: Progress,
  calls: readonly (Used | undefined)[],
  then: (spent: Progress) => Effects<WorkflowContext>,
): Effects<WorkflowContext> {
  const usage = sumOf([progress.usage, ...calls]);
  if (!usage) return then(progress);
  const effects = then({ ...progress, usage });
  const told = calls.flatMap((used) =>
    used && !used.isToldElsewhere
      ? [{ type: 'usage.recorded', ...state.where(), tokens: used.tokens, cost: used.cost }]
      : [],
  );
  return told.length > 0 ? { ...effects, emit: [...told, ...(effects.emit ?? [])] } : effects;
}
