import type { Path, Report } from '@dramaturg/compiler';
import { authoredPart, type Part, partsOf } from '../authored.ts';
import { isHole } from '../definition/field.ts';
import { unfilledHole } from '../diagnostics/include.ts';
import { statesOf } from '../walk.ts';
import type { WorkflowRule } from './rule.ts';

/** Reports a hole outside of a template. All such holes have one cause: the workflow declares no parameters. */
export function reportHole(text: string, path: Path, report: Report): void {
  report(unfilledHole(text), path, { follows: [['Parameters']], topic: '' });
}

/** Fields that hold names: a hole there is not text for people. */
const named = ['Agent', 'Next', 'Default', 'WorkflowId', 'Template', 'ResultPath'];
const counted = ['TimeoutSeconds', 'HeartbeatSeconds', 'MaxConcurrency', 'Seconds', 'Rounds'];
const retried = ['IntervalSeconds', 'MaxAttempts', 'BackoffRate', 'MaxDelaySeconds'];

/** Only a template has holes, which are filled when it is included. Spec: Agent 10 §Templates */
export const holesAreInTemplates: WorkflowRule = ({ definition, report }) => {
  if (definition.isTemplate) return;
  const judge = ({ value, at }: Part, fields: readonly string[]) => {
    for (const field of fields) {
      const text = value[field];
      if (!isHole(text)) continue;
      reportHole(text, [...at, field], report);
    }
  };
  for (const state of statesOf(definition)) {
    const part = authoredPart(state);
    judge(part, [...named, ...counted]);
    for (const retrier of partsOf(part, 'Retry')) judge(retrier, retried);
    for (const catcher of partsOf(part, 'Catch')) judge(catcher, ['Next']);
    for (const rule of partsOf(part, 'Choices')) judge(rule, ['Next']);
  }
};
