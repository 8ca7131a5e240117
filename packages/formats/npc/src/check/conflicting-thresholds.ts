import { boundNotNegative, thresholdBelowBound } from '../diagnostics/scenarios.ts';
import type { NpcRule } from './rule.ts';

/** The score begins at 0: above the bound at which it fails, and able to tell success from failure. */
export const conflictingThresholds: NpcRule = ({ definition, report }) => {
  for (const { scoring_mode, pass_threshold, early_fail_bound, at } of definition.scenarios) {
    if (scoring_mode !== 'scoring') continue;
    if (early_fail_bound >= 0)
      report(boundNotNegative(early_fail_bound), [...at, 'early_fail_bound'], {
        follows: [[...at, 'scoring_mode']],
      });
    if (pass_threshold <= early_fail_bound)
      report(thresholdBelowBound(pass_threshold, early_fail_bound), [...at, 'pass_threshold'], {
        follows: [
          [...at, 'scoring_mode'],
          [...at, 'early_fail_bound'],
        ],
      });
  }
};
