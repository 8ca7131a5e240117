import { problemsOf } from '@dramaturg/compiler/format';
import { didYouMean, quotedList } from '@dramaturg/compiler/text';

const { error, warning } = problemsOf('asl');

export const noFallback = error('no-fallback', () => ({
  message: '"OnExceed" is "UseFallback", but this budget has no "Fallback".',
  hint: 'Add "Fallback": { "When": "BudgetAt80Percent", "UseModel": "small" }, or set another "OnExceed".',
}));

export const noLimit = warning('no-limit', () => ({
  message: 'This budget has no limit, so it is never used up.',
  hint: 'Add "MaxCost": "$5.00", "MaxTokens": 10000 or "MaxDuration": "10m".',
}));

export const tooLittleTime = warning(
  'too-little-time',
  (limit: string, least: string, example: readonly string[]) => ({
    message: `No run can succeed: ${limit} is less than the ${least} that every way to the end waits.`,
    hint: `For example, ${example.join(' → ')} waits ${least}. Raise ${limit.split(' ')[0]}, or wait less.`,
  }),
);

export const smallBudget = warning(
  'small-budget',
  (smaller: string, larger: string, isOfWorkflow: boolean) => ({
    message: `${larger} allows more than ${smaller} of ${isOfWorkflow ? 'the whole workflow' : 'the same state'}: a call that keeps to it can fail with States.BudgetExceeded.`,
    hint: `For example, an answer that uses all of ${larger}. Lower it, or raise ${smaller}.`,
  }),
);

export const badPattern = error('bad-pattern', (because: string) => ({
  message: `This pattern cannot be used: ${because}.`,
  hint: 'Remove look-around and back-references: patterns must match in linear time.',
}));

export const needsJudge = warning('needs-judge', (check: string) => ({
  message: `A model has to judge "${check}". Without a model, the state fails with Agent.GuardrailNotJudged.`,
  hint: 'Run it with --model, or give the port "choose". If it always has a model, check it with --option judge=true.',
}));

export const noRules = warning('no-rules', (owner: string) => ({
  message: `${owner} checks nothing.`,
  hint: 'Add "Rules": [...] or a "Validator", or remove it.',
}));

export const badSchema = error('bad-schema', (because: string) => ({
  message: `This JSON Schema cannot be used: ${because}.`,
}));

export const unknownPersonalData = error(
  'unknown-personal-data',
  (kind: string, known: readonly string[]) => ({
    message: `"${kind}" is not a known kind of personal data.`,
    hint: () =>
      didYouMean(kind, known) ??
      `Use ${quotedList(known, 'or')}. For other kinds, use a rule of the type "semantic".`,
  }),
);

export const uselessAction = error('useless-action', (action: string, type: string) => ({
  message:
    action === 'retry'
      ? 'The action "retry" works only on output. This rule checks the input.'
      : `The action "${action}" needs places in a text, and a rule of the type "${type}" finds none.`,
  hint: 'Use "block" or "warn".',
}));

export const unknownCategory = error(
  'unknown-category',
  (name: string, known: readonly string[]) => ({
    message: `There is no tool category "${name}".`,
    hint: () =>
      didYouMean(name, known) ?? `Add "ToolCategories": { "${name}": [...] } to the workflow.`,
  }),
);

export const unknownDenied = warning('unknown-denied', (name: string, near: string) => ({
  message: `"${name}" is denied as the name of a tool: there is no category "${name}".`,
  hint: `Did you mean "${near}"?`,
}));

export const deniedToo = warning('denied-too', (name: string) => ({
  message: `The tool "${name}" is both allowed and denied. It is denied.`,
  hint: 'Remove it from one of the two lists.',
}));

export const badDuration = error('bad-duration', (written: string, orNever: boolean) => ({
  message: `"${written}" is not a duration.`,
  hint: `Write a number with its unit: "30s", "15m", "24h", "7d", "2w"${orNever ? ', or "never"' : ''}.`,
}));

export const misplacedAll = error('misplaced-all', (name: string, isAlone: boolean) => ({
  message: isAlone
    ? `"${name}" matches every error, so later entries are never used.`
    : `"${name}" matches every error, so it must be the only name.`,
  hint: isAlone
    ? 'Move it to the end of the list.'
    : 'Remove the other names, or move it to its own entry at the end.',
}));

export const unknownError = warning('unknown-error', (name: string, known: readonly string[]) => ({
  message: `There is no error "${name}". Names that begin with "States." are reserved.`,
  hint: () => didYouMean(name, known) ?? 'Give your own errors names that begin differently.',
}));

export const unknownJitter = error(
  'unknown-jitter',
  (strategy: string, known: readonly string[]) => ({
    message: `There is no jitter strategy "${strategy}".`,
    hint: () => didYouMean(strategy, known) ?? `The strategies are ${known.join(', ')}.`,
  }),
);
