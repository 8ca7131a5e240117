import { partOf } from '../authored.ts';
import { compileSchema } from '../data/json-schema.ts';
import { badSchema } from '../diagnostics/guardrails.ts';
import { faultOf, type WorkflowRule } from './rule.ts';
import { toolsOf } from './tools-blocks.ts';

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
