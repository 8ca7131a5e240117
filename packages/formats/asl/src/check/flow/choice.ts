import type { Choice } from '../../definition/index.ts';
import { judgeCondition } from './condition-verdict.ts';
import { languageFlow } from './language-flow.ts';
import { conditional } from './sight.ts';
import type { StateWays, Ways } from './ways.ts';

/** Rules after one that always holds, and rules that never hold, lead nowhere. */
export const choiceWays: StateWays<Choice> = {
  enter({ state, sight, flow }) {
    const selected = flow.select();
    const { chosen } = languageFlow(conditional(sight));
    const exits: Ways['exits'][number][] = [];
    for (const [index, rule] of state.Choices.entries()) {
      const seen = index === 0 ? sight : conditional(sight);
      const verdict = rule.condition && judgeCondition(rule.condition, selected, seen);
      if (verdict !== false) exits.push({ target: rule.Next, passed: chosen(rule) });
      if (verdict === true) return { exits };
    }
    if (state.Default !== undefined) {
      exits.push({ target: state.Default, passed: chosen(undefined) });
    }
    return { exits };
  },
};
