import { checkOnEnd, reportDefinitions } from '@dramaturg/conversation';
import { outcomes } from '../definition.ts';
import * as starts from '../diagnostics/starts.ts';
import type { NpcRule } from './rule.ts';

/** Reports mistakes in the definitions that are started when a scenario is completed. Spec: docs/formats/npc.md#start */
export const wrongStarts: NpcRule = ({ definition, options, report }) => {
  reportDefinitions(starts, options.unknownDefinitions, report);
  const { scenarios, variables } = definition;
  const values = [
    'outcome',
    'score',
    'state',
    ...[...variables, ...scenarios.flatMap((each) => each.output_variables)].map(({ key }) => key),
  ];
  const known = { values, outcomes };
  for (const { on_end: onEnd, at } of scenarios)
    if (onEnd) checkOnEnd(starts, onEnd, known, [...at, 'on_end'], report);
};
