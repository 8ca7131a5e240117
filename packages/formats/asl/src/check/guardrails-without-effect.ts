import { authoredPart, partOf, partsOf } from '../authored.ts';
import { needsJudge, noRules } from '../diagnostics/guardrails.ts';
import { emptyList } from '../diagnostics/structure.ts';
import type { State } from '../definition/index.ts';
import { statesOf } from '../walk.ts';
import { guardrailRules } from './guardrail-rules.ts';
import type { WorkflowRule } from './rule.ts';

/** Reports guardrails that check nothing, or that only a model can judge. Spec: Agent 5 §Guardrails */
export const guardrailsWithoutEffect: WorkflowRule = ({ definition, options, report }) => {
  for (const state of statesOf(definition)) {
    const guardrails = partOf(authoredPart(state), 'Guardrails');
    if (!guardrails) continue;
    const sides = ['Input', 'Output'].filter((side) => Object.hasOwn(guardrails.value, side));
    if (sides.length === 0) report(noRules('"Guardrails"'), guardrails.at, { at: 'key' });
    for (const name of sides) {
      const side = partOf(guardrails, name);
      const isEmpty = side && partsOf(side, 'Rules').length === 0 && !('Validator' in side.value);
      if (isEmpty) report(noRules(`"${name}"`), side.at, { at: 'key' });
    }
  }
  for (const { rule, state } of guardrailRules(definition)) {
    const { Type: type, Check: check, Block: texts } = rule.value;
    const isPlanned = options.judge === true || catchesMissingJudge(state);
    if (type === 'semantic' && typeof check === 'string' && !isPlanned) {
      report(needsJudge(check), [...rule.at, 'Type']);
    }
    const isEmpty = Array.isArray(texts) && texts.every((text) => text === '');
    if (type === 'pattern' && isEmpty) report(emptyList('Block'), [...rule.at, 'Block']);
  }
};

/** Whether a catcher handles a missing judge. */
function catchesMissingJudge(state: State): boolean {
  const catchers = 'Catch' in state ? state.Catch : [];
  return catchers.some(({ ErrorEquals: errors }) => errors.includes('Agent.GuardrailNotJudged'));
}
