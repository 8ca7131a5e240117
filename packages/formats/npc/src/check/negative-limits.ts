import { badLimit } from '../diagnostics/scenarios.ts';
import type { NpcRule } from './rule.ts';

/** Reports negative limits of scenarios and of single states. */
export const negativeLimits: NpcRule = ({ definition, report }) => {
  for (const scenario of definition.scenarios) {
    for (const field of ['redirect_limit', 'follow_up_limit'] as const) {
      const general = scenario[field];
      if (general !== null && general < 0)
        report(badLimit(field, general), [...scenario.at, field]);
      for (const { [field]: own, at } of scenario.states) {
        if (own !== null && own < 0 && own !== general)
          report(badLimit(field, own), [...at, field]);
      }
    }
  }
};
