import { unknownCategory } from '../diagnostics/tools.ts';
import type { WorkflowRule } from './rule.ts';
import { namesIn, toolsOf } from './tools-blocks.ts';

/** Reports categories of tools that the workflow does not have. Spec: Agent 4 §Categories */
export const unknownCategories: WorkflowRule = ({ definition, report }) => {
  const known = definition.ToolCategories;
  const names = new Set(known);
  for (const tools of toolsOf(definition)) {
    namesIn(tools, 'AllowedCategories').forEach((name, index) => {
      if (names.has(name)) return;
      report(unknownCategory(name, known), [...tools.at, 'AllowedCategories', index], {
        follows: [['ToolCategories']],
        topic: name,
      });
    });
  }
};
