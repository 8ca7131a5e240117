import { isToolPattern, mayUseTool } from '@dramaturg/compiler/machine';
import { nearestName } from '@dramaturg/compiler/text';
import { authoredPart, type Part, partOf } from '../authored.ts';
import { compileSchema } from '../data/json-schema.ts';
import type { Workflow } from '../definition/machine.ts';
import { badSchema, deniedToo, unknownCategory, unknownDenied } from '../diagnostics/blocks.ts';
import { statesOf } from '../walk.ts';
import { faultOf, type WorkflowRule } from './rule.ts';

/** The `DefaultTools` of the workflow and the `Tools` of its tasks. */
export function* toolsOf(workflow: Workflow): Generator<Part> {
  const defaults = partOf(authoredPart(workflow), 'DefaultTools');
  if (defaults) yield defaults;
  for (const state of statesOf(workflow)) {
    const tools = state.Type === 'Task' ? partOf(authoredPart(state), 'Tools') : undefined;
    if (tools) yield tools;
  }
}

function namesIn({ value }: Part, field: string): string[] {
  const names = value[field];
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}

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

/** Reports schemas of tool arguments that cannot be compiled. Spec: Agent 4 §Validation */
export const unusableToolSchemas: WorkflowRule = ({ definition, report }) => {
  for (const tools of toolsOf(definition)) {
    const validation = partOf(tools, 'Validation');
    for (const tool of Object.keys(validation?.value ?? {})) {
      const one = partOf(validation!, tool);
      const input = one && partOf(one, 'Input');
      const schema = input && partOf(input, 'Schema');
      const because = schema && faultOf(() => compileSchema(schema.value));
      if (because !== undefined) report(badSchema(because), schema!.at);
    }
  }
};
