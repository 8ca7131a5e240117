import { nearestName } from '@dramaturg/compiler/text';
import { authoredPart, partOf } from '../authored.ts';
import { unknownCategory, unknownDenied } from '../diagnostics/tools.ts';
import type { WorkflowRule } from './rule.ts';
import { namesIn, toolsOf } from './tools-blocks.ts';

/** Reports categories of tools that the workflow does not have, and denied names that are a slip of one. Spec: Agent 4 §Categories */
export const unknownCategories: WorkflowRule = ({ definition, report }) => {
  const known = definition.ToolCategories;
  const names = new Set(known);
  const categories = partOf(authoredPart(definition), 'ToolCategories');
  const inCategories = new Set(known.flatMap((name) => namesIn(categories!, name)));
  for (const tools of toolsOf(definition)) {
    namesIn(tools, 'AllowedCategories').forEach((name, index) => {
      if (names.has(name)) return;
      report(unknownCategory(name, known), [...tools.at, 'AllowedCategories', index], {
        follows: [['ToolCategories']],
        topic: name,
      });
    });
    namesIn(tools, 'Denied').forEach((name, index) => {
      if (names.has(name) || inCategories.has(name)) return;
      const near = nearestName(name, known);
      if (near !== undefined) report(unknownDenied(name, near), [...tools.at, 'Denied', index]);
    });
  }
};
