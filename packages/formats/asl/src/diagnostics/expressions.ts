import { problemsOf } from '@dramaturg/compiler/format';
import { didYouMean, nearestName, withArticle } from '@dramaturg/compiler/text';

const { error, warning } = problemsOf('asl');

export const badPath = error('bad-path', (field: string, path: string, because: string) => ({
  message: `"${field}" is not a path: ${because} in ${shown(path)}.`,
  hint: 'Write a path such as "$", "$.name", "$.list[0]", "$$.State.Name" or "$variable".',
}));

/** @param step a call of a function, such as `length()`, or a negative index in brackets */
export const deadStep = warning('dead-step', (step: string) => ({
  message: step.startsWith('[')
    ? `The index ${step} leads nowhere: AWS does not count from the end.`
    : `There are no functions in paths: AWS reads "${step}" as the name of a field.`,
  hint: step.startsWith('[')
    ? `Write "[(@.length${step.slice(1, -1)})]".`
    : 'Use an intrinsic function such as "States.ArrayLength", or a JSONata state.',
}));

export const badReferencePath = error(
  'bad-reference-path',
  (field: string, path: string, because: string) => ({
    message: `"${field}" must name exactly one place: ${because} in ${shown(path)}.`,
    hint: 'Write "$", or names and indexes after it, such as "$.order.items[0]".',
  }),
);

export const badIntrinsic = error('bad-intrinsic', (call: string, because: string) => ({
  message: `This call of an intrinsic function is not valid: ${because} in ${shown(call)}.`,
}));

export const unknownFunction = error(
  'unknown-function',
  (name: string, known: readonly string[]) => ({
    message: `There is no intrinsic function "${name}".`,
    hint: () => didYouMean(name, known) ?? `The functions are ${known.join(', ')}.`,
  }),
);

export const unknownJsonataFunction = warning(
  'unknown-jsonata-function',
  (name: string, known: readonly string[]) => ({
    message:
      name === 'eval'
        ? 'AWS does not have the function "$eval".'
        : `There is no function "$${name}", so this expression fails when it calls it.`,
    hint: () => {
      if (name === 'eval') return 'Use "$parse" to read JSON.';
      const near = nearestName(name, known);
      return near === undefined
        ? 'Define it in the expression, or use a function of JSONata.'
        : `Did you mean "$${near}"?`;
    },
  }),
);

const unavailable: Readonly<Record<string, string>> = {
  '$states.result':
    'Only "Output" and "Assign" of a Task, Parallel or Map read it. Use "$states.input" elsewhere.',
  '$states.errorOutput': 'Only "Output" and "Assign" of a catcher read it.',
};

/** @param what a field of `$states`; or a name, `$` or `$$` that an expression reads without it */
export const unavailableData = error('unavailable-data', (what: string) => ({
  message: `"${what}" does not exist here.`,
  hint:
    unavailable[what] ??
    `Begin with "$states" or a variable: "$states.input${what.startsWith('$') ? '' : `.${what}`}".`,
}));

export const expressionInJsonpath = error('expression-in-jsonpath', (field: string) => ({
  message: `"${field}" is a JSONata expression, but this state uses JSONPath.`,
  hint: `Use "${field}Path", or set "QueryLanguage": "JSONata" in the state.`,
}));

/** Where a string that looks like a query is not read as one. */
export type LiteralPlace = 'key' | 'item' | 'result' | 'jsonata';

export const literalQuery = warning(
  'literal-query',
  (field: string, text: string, place: LiteralPlace) => ({
    message: `"${field}" is the text ${shown(text)} itself: nothing reads it as a query.`,
    hint: {
      key: `To use the value, write the key as "${field}.$".`,
      item: 'Make the list with "States.Array($.first, $.second)", under a key that ends in ".$".',
      result: '"Result" holds literal data. Compute values in "Parameters".',
      jsonata: 'Write an expression, such as "{% $states.input.order %}".',
    }[place],
  }),
);

/** Published examples contain such calls, but no engine can evaluate them. */
export const failingIntrinsic = warning('failing-intrinsic', (because: string) => ({
  message: `This call always fails: ${because}.`,
  hint: 'Correct the call, or compute the value in an agent.',
}));

export const badTemplateValue = error('bad-template-value', (key: string) => ({
  message: `The key "${key}" ends in ".$", so its value must be a path or a call of an intrinsic function.`,
  hint: `For a literal value, rename the key to "${key.slice(0, -2)}".`,
}));

export const duplicateTemplateKey = error('duplicate-template-key', (key: string) => ({
  message: `"${key}" and "${key}.$" both set the key "${key}".`,
  hint: 'Remove one of the two.',
}));

export const badExpression = error('bad-expression', (because: string, expression: string) => ({
  message: `This JSONata expression cannot be read: ${because} in ${shown(expression)}.`,
}));

export const openExpression = error('open-expression', (missing: string) => ({
  message: `This looks like a JSONata expression, but its "${missing}" is missing.`,
  hint: 'Begin the text with "{%" and end it with "%}".',
}));

export const notEvaluated = warning('not-evaluated', (what: string, language: string) => ({
  message: `${what} has no meaning in ${withArticle(language)} state. It is read as ordinary text.`,
  hint: `Write it in ${language}, or set "QueryLanguage".`,
}));

export const conditionNotExpression = error('condition-not-expression', () => ({
  message: 'This "Condition" is ordinary text. It must be a JSONata expression, true or false.',
  hint: 'Write it as "{% ... %}".',
}));

export const badVariableName = error('bad-variable-name', (name: string) => ({
  message: `"${name}" is not a valid variable name.`,
  hint: 'Use letters, digits and "_", at most 80 characters, without a digit first. The name "states" is reserved.',
}));

export const shadowedVariable = warning('shadowed-variable', (name: string) => ({
  message: `"${name}" is also a variable of the states around this one, which AWS lets inner states only read.`,
  hint: 'Choose another name, and pass the value on in the output.',
}));

/** A path or an expression in quotes, cut so that a long one does not hide the message. */
function shown(written: string): string {
  return JSON.stringify(written.length > 80 ? `${written.slice(0, 80)}…` : written);
}
