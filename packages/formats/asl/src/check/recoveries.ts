import { authoredPart, type Part, partsOf } from '../authored.ts';
import { hasHole } from '../definition/field.ts';
import type { Dialect } from '../definition/machine.ts';
import { misplacedAll, unknownError, unknownJitter } from '../diagnostics/blocks.ts';
import { emptyList } from '../diagnostics/fields.ts';
import { limitReached } from '../flow/retry.ts';
import { statesOf } from '../walk.ts';
import { atMostOne, type WorkflowRule } from './rule.ts';

interface Recovery {
  readonly field: 'Retry' | 'Catch';
  readonly list: readonly Part[];
}

function recoveries(state: Parameters<typeof authoredPart>[0]): readonly Recovery[] {
  const part = authoredPart(state);
  return (['Retry', 'Catch'] as const).map((field) => ({ field, list: partsOf(part, field) }));
}

/** Reports retriers and catchers that list no errors. Spec: states-language.net/spec.html#errors */
export const entriesWithoutErrors: WorkflowRule = ({ definition, report }) => {
  for (const { field, list } of statesOf(definition).flatMap(recoveries)) {
    for (const { value, at } of list) {
      const names = value['ErrorEquals'];
      if (Array.isArray(names) && names.length === 0) {
        report(emptyList('ErrorEquals'), [...at, 'ErrorEquals']);
      }
      if (field === 'Retry') {
        atMostOne({ value, at }, ['MaxDelaySeconds', 'MaxIntervalSeconds'], report);
      }
    }
  }
};

/**
 * Reports `States.ALL` with other names in one entry, or before the last entry.
 * Spec: Agent 8, states-language.net/spec.html#retrying-after-error
 */
export const misplacedCatchAlls: WorkflowRule = ({ definition, report }) => {
  for (const { list } of statesOf(definition).flatMap(recoveries)) {
    list.forEach((one, index) => {
      const names = one.value['ErrorEquals'];
      if (!Array.isArray(names)) return;
      const place = names.indexOf('States.ALL');
      if (place === -1) return;
      const isAlone = names.length === 1;
      if (isAlone && index === list.length - 1) return;
      report(misplacedAll('States.ALL', isAlone), [...one.at, 'ErrorEquals', place]);
    });
  }
};

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

/** Reports unknown jitter strategies. Agent State Language has a third one, and ignores case. Spec: Agent 8 §Jitter */
export const unknownJitters: WorkflowRule = ({ definition, report }) => {
  const isAgent = definition.dialect === 'agent';
  const known = isAgent ? ['NONE', 'FULL', 'DECORRELATED'] : ['NONE', 'FULL'];
  for (const { field, list } of statesOf(definition).flatMap(recoveries)) {
    if (field === 'Catch') continue;
    for (const { value, at } of list) {
      const { JitterStrategy: strategy } = value;
      if (typeof strategy !== 'string' || (definition.isTemplate && hasHole(strategy))) continue;
      if (known.includes(isAgent ? strategy.toUpperCase() : strategy)) continue;
      report(unknownJitter(strategy, known), [...at, 'JitterStrategy']);
    }
  }
};
