import { checkOnEnd, reportDefinitions } from '@dramaturg/conversation';
import * as starts from '../diagnostics/starts.ts';
import type { GraphRule } from './rule.ts';

/** Reports mistakes in the definitions that are started at the end. Spec: docs/formats/context-graph.md#start */
export const wrongStarts: GraphRule = ({ definition: { on_end: onEnd }, options, report }) => {
  reportDefinitions(starts, options.unknownDefinitions, report);
  const known = { values: ['state', 'reason'], outcomes: ['completed'] };
  if (onEnd) checkOnEnd(starts, onEnd, known, ['on_end'], report);
};
