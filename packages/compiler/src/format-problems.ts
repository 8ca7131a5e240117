import { problem } from './diagnostic.ts';
import { agreeing, didYouMean, quotedList, withArticle } from './words.ts';
import { expectedBy, type Issue } from './shape-words.ts';

export const unknownFormat = problem(
  'format/unknown',
  'error',
  (
    refusals: readonly { title: string; because: string }[],
    slip?: { readonly field: string; readonly known: string },
  ) => ({
    message: 'The format of this definition is unknown.',
    hint: slip
      ? `The field "${slip.field}" is unknown. Did you mean "${slip.known}"?`
      : refusals.map(({ title, because }) => `Not ${withArticle(title)}: ${because}.`).join(' '),
  }),
);

export const ambiguousFormat = problem(
  'format/ambiguous',
  'error',
  (candidates: readonly { name: string; title: string; signs: readonly string[] }[]) => ({
    message: `This could be ${candidates.map(({ title }) => withArticle(title)).join(' or ')}.`,
    hint:
      candidates
        .map(({ title, signs }) => `${withArticle(title, 'A')} because of ${signs.join(', ')}.`)
        .join(' ') +
      ` Name the format: ${quotedList(
        candidates.map(({ name }) => name),
        'or',
      )}.`,
  }),
);

export const noSuchFormat = problem(
  'format/no-such-format',
  'error',
  (name: string, known: readonly string[]) => ({
    message: `There is no format "${name}".`,
    hint: () =>
      didYouMean(name, known) ?? `The formats are ${known.map((one) => `"${one}"`).join(', ')}.`,
  }),
);

export const wrongOption = problem(
  'format/wrong-option',
  'error',
  (format: string, issue: Issue) => ({
    message:
      issue.code === 'unrecognized_keys'
        ? `The format "${format}" has no option ${issue.keys.map((key) => `"${key}"`).join(', ')}.`
        : `The option "${issue.path.join('.')}" of the format "${format}" must be ${expectedBy(issue)}.`,
    hint: `The options are described in docs/formats/${format}.md.`,
  }),
);

export const unfilledPlaceholder = problem(
  'format/unfilled-placeholder',
  'error',
  (names: readonly string[]) => ({
    message: `The ${agreeing('placeholder', names.length)} ${quotedList(names.map((name) => `\${${name}}`))} ${names.length === 1 ? 'has' : 'have'} no value.`,
    hint: `Give ${names.length === 1 ? 'it' : 'each'} a value: ${names.map((name) => `--set ${/^[\w.:-]+$/.test(name) ? name : `'${name}'`}=…`).join(' ')}, or the option "values" in a program.`,
  }),
);

export const tooManyFindings = problem('format/too-many-findings', 'warning', (shown: number) => ({
  message: `Only the first ${shown} findings are shown.`,
  hint: 'Fix these and check again.',
}));

export const formatProblems = [
  unknownFormat,
  ambiguousFormat,
  noSuchFormat,
  wrongOption,
  unfilledPlaceholder,
  tooManyFindings,
];
