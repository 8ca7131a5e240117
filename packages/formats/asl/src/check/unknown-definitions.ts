import { unknownDefinition } from '../kinds/task/problems.ts';
import type { WorkflowRule } from './rule.ts';

/** Reports agents that name missing definitions. The caller knows which definitions exist. */
export const unknownDefinitions: WorkflowRule = ({ options, report }) => {
  for (const { path, name, meant } of options.unknownDefinitions ?? [])
    report(unknownDefinition(name, meant), path);
};
