import { isOtherTarget } from '@dramaturg/conversation';
import { rejectElsewhere, rejectWithoutPass, rewardedReject } from '../diagnostics/transitions.ts';
import { inStates, waysOf } from '../wiring.ts';
import { scenarioGraph } from '../scenario-graph.ts';
import type { NpcRule } from './rule.ts';

/**
 * Reports rejects that add points, or whose target is not entered. In scoring mode a reject follows the pass of its state, which
 * must exist; in pass/fail mode it ends the conversation. Spec: docs/formats/npc.md#effects
 */
export const contradictoryRejects: NpcRule = ({ definition, report }) => {
  for (const scenario of definition.scenarios) {
    const { rows, byKey } = scenarioGraph(scenario);
    for (const { state_key } of byKey.values()) {
      if (scenario.scoring_mode !== 'scoring') {
        for (const { to_state_key: to, at } of rows(state_key, 'reject'))
          if (to !== state_key && byKey.get(to)?.is_terminal_state === false)
            report(rejectElsewhere(to), [...at, 'to_state_key'], {
              follows: [[...scenario.at, 'scoring_mode'], ...waysOf(scenario)],
            });
        continue;
      }
      const [pass] = rows(state_key, 'pass');
      const modeAt = [...scenario.at, 'scoring_mode'];
      for (const { score_delta, to_state_key: to, at } of rows(state_key, 'reject')) {
        if (score_delta > 0)
          report(rewardedReject(score_delta), [...at, 'score_delta'], { follows: [modeAt] });
        if (isOtherTarget(to)) continue;
        if (!pass)
          report(rejectWithoutPass(state_key), at, { follows: [modeAt, ...waysOf(scenario)] });
        else if (byKey.has(to) && byKey.has(pass.to_state_key) && to !== pass.to_state_key)
          report(rejectElsewhere(to, pass.to_state_key), [...at, 'to_state_key'], {
            follows: [modeAt, ...waysOf(scenario), ...inStates(scenario, 'terminal_outcome')],
          });
      }
    }
  }
};
