import { unknownDefinition } from '../diagnostics/task.ts';
import type { WorkflowRule } from './rule.ts';

/** Definitions that run as agents are there. Which there are is known outside of the workflow. */
export const definitionsAreThere: WorkflowRule = ({ options, report }) => {
  for (const { path, name, meant } of options.unknownDefinitions ?? [])
    report(unknownDefinition(name, meant), path);
};
