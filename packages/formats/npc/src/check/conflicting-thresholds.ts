import { boundNotNegative, thresholdBelowBound } from '../diagnostics/scenarios.ts';
import type { NpcRule } from './rule.ts';

/** Reports an early-fail bound at or above the first score, 0, and pass thresholds that are not above the bound. */
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
