import { authoredPart, partOf } from '../authored.ts';
import { badPath } from '../diagnostics/expressions.ts';
import { statesOf } from '../walk.ts';
import { pathFault } from './syntax/path.ts';
import type { WorkflowRule } from './rule.ts';

/** Reports paths of `Audit.Redact` that cannot be read: their data would be shown. Spec: Agent 5 §Audit */
export const malformedRedactions: WorkflowRule = ({ definition, report }) => {
  for (const state of statesOf(definition)) {
    const audit = partOf(authoredPart(state), 'Audit');
    const paths = audit?.value['Redact'];
    if (!audit || !Array.isArray(paths)) continue;
    paths.forEach((path: unknown, index) => {
      if (typeof path !== 'string') return;
      const at = [...audit.at, 'Redact', index];
      const isOfData = path === '$' || /^\s*\$[.[]/.test(path);
      // Both dialects may redact at any depth.
      const fault = isOfData ? pathFault(path, 'amazon') : 'it does not begin with "$."';
      if (fault !== undefined) report(badPath('Redact', path, fault), at);
    });
  }
};
