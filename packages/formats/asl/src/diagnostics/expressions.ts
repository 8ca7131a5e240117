import { didYouMean, problem, withArticle } from '@dramaturg/compiler';

export const badPath = problem(
  'asl/bad-path',
  'error',
  (field: string, path: string, because: string) => ({
    message: `"${field}" is no path: ${because} in ${shown(path)}.`,
    hint: 'A path is "$", or "$.name", "$.list[0]", "$$.State.Name", "$variable".',
  }),
);

export const badReferencePath = problem(
  'asl/bad-reference-path',
  'error',
  (field: string, path: string, because: string) => ({
    message: `"${field}" does not name one place: ${because} in ${shown(path)}.`,
    hint: 'Write "$", or names and indexes behind it: "$.order.items[0]".',
  }),
);

export const badIntrinsic = problem(
  'asl/bad-intrinsic',
  'error',
  (call: string, because: string) => ({
    message: `This call of an intrinsic function cannot be made: ${because} in ${shown(call)}.`,
  }),
);

export const unknownFunction = problem(
  'asl/unknown-function',
  'error',
  (name: string, known: readonly string[]) => ({
    message: `There is no intrinsic function "${name}".`,
    hint: () => didYouMean(name, known) ?? `The functions are ${known.join(', ')}.`,
  }),
);

/** Documentation uses such calls, and no engine can evaluate them. */
export const failingIntrinsic = problem('asl/failing-intrinsic', 'warning', (because: string) => ({
  message: `This call fails with States.IntrinsicFailure when it is reached: ${because}.`,
  hint: 'Catch the error, or compute the value in an agent.',
}));

export const badTemplateValue = problem('asl/bad-template-value', 'error', (key: string) => ({
  message: `The key "${key}" ends in ".$", so its value must be a path or a call of an intrinsic function.`,
  hint: `Rename it to "${key.slice(0, -2)}" for a value that is written out.`,
}));

export const duplicateTemplateKey = problem(
  'asl/duplicate-template-key',
  'error',
  (key: string) => ({
    message: `"${key}" and "${key}.$" become the same key "${key}".`,
    hint: 'Keep one of the two.',
  }),
);

export const badExpression = problem(
  'asl/bad-expression',
  'error',
  (because: string, expression: string) => ({
    message: `This JSONata expression cannot be read: ${because} in ${shown(expression)}.`,
  }),
);

export const openExpression = problem('asl/open-expression', 'error', (missing: string) => ({
  message: `This text looks like a JSONata expression without its "${missing}".`,
  hint: 'An expression begins with "{%" and ends with "%}", with nothing around them.',
}));

export const notEvaluated = problem(
  'asl/not-evaluated',
  'warning',
  (what: string, language: string) => ({
    message: `${what} means nothing in ${withArticle(language)} state; it is an ordinary text.`,
    hint: `Write it as ${language} has it, or set "QueryLanguage".`,
  }),
);

export const conditionNotExpression = problem('asl/condition-not-expression', 'error', () => ({
  message: 'A "Condition" is a JSONata expression, true or false.',
  hint: 'Write it as "{% ... %}".',
}));

export const badVariableName = problem('asl/bad-variable-name', 'error', (name: string) => ({
  message: `"${name}" cannot be the name of a variable.`,
  hint: 'A name has letters, digits and "_", does not begin with a digit, has at most 80 characters, and is not "states".',
}));

/** A path or an expression in quotes, cut where a long one would bury the message. */
function shown(written: string): string {
  return JSON.stringify(written.length > 80 ? `${written.slice(0, 80)}…` : written);
}
