import { problem } from '@dramaturg/compiler/format';
import { didYouMean, quotedList } from '@dramaturg/compiler/text';

export const badPattern = problem('asl/bad-pattern', 'error', (because: string) => ({
  message: `This pattern cannot be used: ${because}.`,
  hint: 'Remove look-around and back-references: patterns must match in linear time.',
}));

export const needsJudge = problem('asl/needs-judge', 'warning', (check: string) => ({
  message: `A model has to judge "${check}". Without a model, the state fails with Agent.GuardrailNotJudged.`,
  hint: 'Run it with --model, or give the port "choose". If it always has a model, check it with --option judge=true.',
}));

export const noRules = problem('asl/no-rules', 'warning', (owner: string) => ({
  message: `${owner} checks nothing.`,
  hint: 'Add "Rules": [...] or a "Validator", or remove it.',
}));

export const badSchema = problem('asl/bad-schema', 'error', (because: string) => ({
  message: `This JSON Schema cannot be used: ${because}.`,
}));

export const unknownPersonalData = problem(
  'asl/unknown-personal-data',
  'error',
  (kind: string, known: readonly string[]) => ({
    message: `"${kind}" is not a known kind of personal data.`,
    hint: () =>
      didYouMean(kind, known) ??
      `Use ${quotedList(known, 'or')}. For other kinds, use a rule of the type "semantic".`,
  }),
);

export const uselessAction = problem(
  'asl/useless-action',
  'error',
  (action: string, type: string) => ({
    message:
      action === 'retry'
        ? 'The action "retry" works only on output. This rule checks the input.'
        : `The action "${action}" needs places in a text, and a rule of the type "${type}" finds none.`,
    hint: 'Use "block" or "warn".',
  }),
);
