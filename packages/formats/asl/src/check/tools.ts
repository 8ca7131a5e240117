import { compileSchema } from '../data/json-schema.ts';
import type { Workflow } from '../definition/index.ts';
import { badSchema } from '../diagnostics/guardrails.ts';
import { deniedToo, unknownCategory } from '../diagnostics/tools.ts';
import { authoredPart, type Part, partOf } from '../authored.ts';
import { statesOf } from '../walk.ts';
import { faultOf, type WorkflowRule } from './rule.ts';

/** A category of tools is one of the workflow's. Spec: Agent 4 §Categories */
export const categoriesExist: WorkflowRule = ({ definition, report }) => {
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

/** A tool is allowed or denied, not both. Spec: Agent 4 §Tools */
export const toolsAreAllowedOrDenied: WorkflowRule = ({ definition, report }) => {
  for (const tools of toolsOf(definition)) {
    const denied = new Set(namesIn(tools, 'Denied'));
    namesIn(tools, 'Allowed').forEach((name, index) => {
      if (denied.has(name)) report(deniedToo(name), [...tools.at, 'Allowed', index]);
    });
  }
};

/** The schemas of tool arguments can be compiled. Spec: Agent 4 §Validation */
export const toolSchemasCanBeUsed: WorkflowRule = ({ definition, report }) => {
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

function* toolsOf(workflow: Workflow): Generator<Part> {
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
