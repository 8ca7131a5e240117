import type { Path } from '@dramaturg/compiler';
import type { Report } from '@dramaturg/compiler/format';
import { authoredPart, type Part, partsOf } from '../authored.ts';
import { isHole } from '../definition/field.ts';
import { unfilledHole } from '../diagnostics/include.ts';
import { statesOf } from '../walk.ts';
import type { WorkflowRule } from './rule.ts';

/** Reports a hole outside of a template. All have one cause: the workflow declares no parameters. */
export function reportHole(text: string, path: Path, report: Report): void {
  report(unfilledHole(text), path, { follows: [['Parameters']], topic: '' });
}

/** Fields that hold names. In other strings a hole can be text for people. */
const nameFields = ['Agent', 'Next', 'Default', 'WorkflowId', 'Template', 'ResultPath'];

const numberFields = ['TimeoutSeconds', 'HeartbeatSeconds', 'MaxConcurrency', 'Seconds', 'Rounds'];

const retryFields = ['IntervalSeconds', 'MaxAttempts', 'BackoffRate', 'MaxDelaySeconds'];

/** Reports holes outside of templates. A hole is filled when its template is included. Spec: Agent 10 §Templates */
export const unfilledHoles: WorkflowRule = ({ definition, report }) => {
  if (definition.isTemplate) return;
  const reportHoles = ({ value, at }: Part, fields: readonly string[]) => {
    for (const field of fields) {
      const text = value[field];
      if (!isHole(text)) continue;
      reportHole(text, [...at, field], report);
    }
  };
  for (const state of statesOf(definition)) {
    const part = authoredPart(state);
    reportHoles(part, [...nameFields, ...numberFields]);
    for (const retrier of partsOf(part, 'Retry')) reportHoles(retrier, retryFields);
    for (const catcher of partsOf(part, 'Catch')) reportHoles(catcher, ['Next']);
    for (const rule of partsOf(part, 'Choices')) reportHoles(rule, ['Next']);
  }
};
