import { ignoredOutcome, unlabelledEnds } from '../diagnostics/states.ts';
import { inStates } from '../wiring.ts';
import type { NpcRule } from './rule.ts';

/** Reports outcomes where they have no effect, and ends of a pass/fail scenario without an outcome. */
export const ignoredOutcomes: NpcRule = ({ definition, report }) => {
  for (const scenario of definition.scenarios) {
    const { states, scoring_mode, at: scenarioAt } = scenario;
    const modeAt = [...scenarioAt, 'scoring_mode'];
    for (const { terminal_outcome, is_terminal_state, at } of states) {
      if (terminal_outcome === undefined) continue;
      const path = [...at, 'terminal_outcome'];
      if (!is_terminal_state)
        report(ignoredOutcome('not-terminal'), path, { follows: [[...at, 'is_terminal_state']] });
      else if (scoring_mode === 'scoring')
        report(ignoredOutcome('scoring'), path, {
          follows: [modeAt],
          topic: JSON.stringify(modeAt),
        });
    }
    const terminal = states.filter((state) => state.is_terminal_state);
    const unlabelled = terminal.filter((state) => state.terminal_outcome === undefined);
    const [first] = unlabelled;
    if (scoring_mode === 'pass_fail' && terminal.length > 1 && first)
      report(unlabelledEnds(unlabelled.map(({ state_key }) => state_key)), first.at, {
        follows: [modeAt, ...inStates(scenario, 'terminal_outcome', 'is_terminal_state')],
      });
  }
};
