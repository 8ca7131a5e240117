import { isToolPattern, mayUseTool } from '@dramaturg/compiler/machine';
import { deniedToo } from '../diagnostics/tools.ts';
import type { WorkflowRule } from './rule.ts';
import { namesIn, toolsOf } from './tools-blocks.ts';

/** Reports tools that are both allowed and denied. Spec: Agent 4 §Tools */
export const toolsAllowedAndDenied: WorkflowRule = ({ definition, report }) => {
  for (const tools of toolsOf(definition)) {
    const denied = namesIn(tools, 'Denied');
    namesIn(tools, 'Allowed').forEach((name, index) => {
      if (!isToolPattern(name) && !mayUseTool({ denied }, name))
        report(deniedToo(name), [...tools.at, 'Allowed', index]);
    });
  }
};
