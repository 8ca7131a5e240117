import { ignoredDelta } from '../diagnostics/transitions.ts';
import type { NpcRule } from './rule.ts';

/** Reports score deltas in pass/fail mode, which has no score: the scenario was probably switched over. */
export const ignoredDeltas: NpcRule = ({ definition, report }) => {
  for (const { scoring_mode, transitions, at: scenarioAt } of definition.scenarios) {
    if (scoring_mode === 'scoring') continue;
    const modeAt = [...scenarioAt, 'scoring_mode'];
    for (const { score_delta, at } of transitions)
      if (score_delta !== 0)
        report(ignoredDelta(score_delta), [...at, 'score_delta'], {
          follows: [modeAt],
          topic: JSON.stringify(scenarioAt),
        });
  }
};
