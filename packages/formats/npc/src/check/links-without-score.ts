import { scoreOfPassFail } from '../diagnostics/links.ts';
import type { NpcRule } from './rule.ts';

/** Reports links that wait for the score of a pass/fail scenario. */
export const linksWithoutScore: NpcRule = ({ definition, report }) => {
  const modes = new Map(
    definition.scenarios.map(({ machine_key, scoring_mode }) => [machine_key, scoring_mode]),
  );
  for (const { source_machine_key: source, condition, at } of definition.machine_links) {
    const readsScore = condition?.type === 'score_gte' || condition?.type === 'score_lte';
    if (readsScore && modes.get(source) === 'pass_fail')
      report(scoreOfPassFail(source), [...at, 'condition_type'], {
        follows: [[...definition.scenariosAt, '*', 'scoring_mode']],
      });
  }
};
