import { checkOnEnd, reportDefinitions } from '@dramaturg/conversation';
import { outcomesOf } from '../definition.ts';
import * as starts from '../diagnostics/starts.ts';
import type { GraphRule } from './rule.ts';

/** Reports mistakes in the definitions that are started at the end. Spec: docs/formats/context-graph.md#start */
export const wrongStarts: GraphRule = ({ definition, options, report }) => {
  const { on_end: onEnd } = definition;
  reportDefinitions(starts, options.unknownDefinitions, report);
  const known = { values: ['outcome', 'state', 'reason'], outcomes: outcomesOf(definition) };
  if (onEnd) checkOnEnd(starts, onEnd, known, ['on_end'], report);
};
