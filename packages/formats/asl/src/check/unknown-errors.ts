import type { Dialect } from '../definition/index.ts';
import { unknownError } from '../diagnostics/retry.ts';
import { limitReached } from '../flow/retry.ts';
import { statesOf } from '../walk.ts';
import { recoveries } from './recoveries.ts';
import type { WorkflowRule } from './rule.ts';

/** The errors of Appendix A, those AWS adds, and our own. Spec: states-language.net/spec.html#appendix-a */
const amazonErrors = [
  limitReached,
  'States.ALL',
  'States.BranchFailed',
  'States.DataLimitExceeded',
  'States.ExceedToleratedFailureThreshold',
  'States.HeartbeatTimeout',
  'States.Http.Socket',
  'States.IntrinsicFailure',
  'States.ItemReaderFailed',
  'States.NoChoiceMatched',
  'States.ParameterPathFailure',
  'States.Permissions',
  'States.QueryEvaluationError',
  'States.ResultPathMatchFailure',
  'States.ResultWriterFailed',
  'States.Runtime',
  'States.TaskFailed',
  'States.Timeout',
];

/** Spec: Agent 8 §Errors; the tutorials add some. */
const agentErrors = [
  ...amazonErrors,
  'States.AgentNotFound',
  'States.BudgetExceeded',
  'States.BudgetNotCounted',
  'States.InvalidTTL',
  'States.MemoryNotConfigured',
  'States.RateLimitExceeded',
  'States.ValidationError',
];

/** The errors of HTTP Tasks. Spec: AWS "Call HTTPS APIs" */
const httpStatus = /^States\.Http\.StatusCode\.[1-5]\d\d$/;

/** Reports names that begin with `States.` but are not in the language. Spec: states-language.net/spec.html#error-names */
export const unknownErrors: WorkflowRule = ({ definition, report }) => {
  const known = errorsOf(definition.dialect);
  for (const { list } of statesOf(definition).flatMap(recoveries)) {
    for (const { value, at } of list) {
      const names = value['ErrorEquals'];
      if (!Array.isArray(names)) continue;
      names.forEach((name: unknown, index) => {
        if (typeof name !== 'string' || !name.startsWith('States.') || known.includes(name)) return;
        if (httpStatus.test(name)) return;
        report(unknownError(name, known), [...at, 'ErrorEquals', index]);
      });
    }
  }
};

export function errorsOf(dialect: Dialect): readonly string[] {
  return dialect === 'amazon' ? amazonErrors : agentErrors;
}
