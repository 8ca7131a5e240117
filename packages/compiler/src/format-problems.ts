import { problem } from './diagnostic.ts';
import { didYouMean } from './did-you-mean.ts';
import { expectedBy, type Issue } from './shape-words.ts';

export const unknownFormat = problem(
  'format/unknown',
  'error',
  (
    refusals: readonly { title: string; because: string }[],
    slip?: { readonly field: string; readonly known: string },
  ) => ({
    message: 'This is none of the known kinds of definition.',
    hint: slip
      ? `The field "${slip.field}" means nothing: did you mean "${slip.known}"?`
      : refusals.map(({ title, because }) => `Not a ${title}: ${because}.`).join(' '),
  }),
);

export const ambiguousFormat = problem(
  'format/ambiguous',
  'error',
  (candidates: readonly { name: string; title: string; signs: readonly string[] }[]) => ({
    message: `This could be ${candidates.map(({ title }) => `a ${title}`).join(' or ')}.`,
    hint:
      candidates.map(({ title, signs }) => `A ${title} by ${signs.join(', ')}.`).join(' ') +
      ` Name the format: ${candidates.map(({ name }) => `"${name}"`).join(' or ')}.`,
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

export const tooManyFindings = problem('format/too-many-findings', 'warning', (shown: number) => ({
  message: `There is more to say than these ${shown} findings.`,
  hint: 'Mend these first and check again.',
}));

export const formatProblems = [
  unknownFormat,
  ambiguousFormat,
  noSuchFormat,
  wrongOption,
  tooManyFindings,
];
