import type { Path } from '@dramaturg/compiler';
import type { problemsOf, Report } from '@dramaturg/compiler/format';
import type { UnknownDefinitions } from '@dramaturg/compiler/shapes';
import { didYouMean } from '@dramaturg/compiler/text';
import { type OnEnd, valuesAskedFor } from './hand-on.ts';

type Problems = ReturnType<typeof problemsOf>;

/** Reports the definitions that a conversation names and that do not exist, and those that start it again. */
export function createDefinitionCheck({ warning }: Pick<Problems, 'warning'>) {
  const unknownDefinition = warning('unknown-definition', (name: string, meant?: string) =>
    meant === undefined
      ? {
          message: `There is no definition "${name}" next to this file.`,
          hint: `Put its file there, such as ${name}.asl.json, or pass it to the command: --definition ${name}=FILE.`,
        }
      : {
          message: `"${name}" does not begin with a known kind of definition.`,
          hint: `Did you mean "${meant}"?`,
        },
  );
  const cycleOfStarts = warning('cycle-of-starts', (names: readonly string[]) => ({
    message: `This definition starts itself again and again${names.length > 0 ? `, by way of ${names.map((name) => `"${name}"`).join(' and ')}` : ''}.`,
    hint: 'Remove one of the starts, or limit it to an outcome that ends the cycle.',
  }));
  return (found: UnknownDefinitions = [], report: Report): void => {
    for (const { path, name, meant, cycle } of found)
      report(cycle ? cycleOfStarts(cycle) : unknownDefinition(name, meant), path);
  };
}

/** Reports mistakes in a definition that is started at an end. */
export function createStartCheck({ error }: Pick<Problems, 'error'>) {
  const emptyStart = error('empty-start', () => ({
    message: 'It is not said what is started at the end.',
    hint: 'Add "start": the name of a definition, such as "workflow:booking".',
  }));
  const unknownValue = error('unknown-start-value', (name: string, known: readonly string[]) => ({
    message: `There is no value "${name}", so {{${name}}} stays empty.`,
    hint: () => didYouMean(name, known) ?? `The values are ${known.join(', ')}.`,
  }));
  const unknownOutcome = error(
    'unknown-start-outcome',
    (name: string, known: readonly string[]) => ({
      message: `There is no outcome "${name}".`,
      hint: () => didYouMean(name, known) ?? `The outcomes are ${known.join(', ')}.`,
    }),
  );
  return (
    { start, input, outcomes = [] }: OnEnd,
    known: { readonly values: readonly string[]; readonly outcomes: readonly string[] },
    at: Path,
    report: Report,
  ): void => {
    if (start.trim() === '') report(emptyStart(), at, { about: [[...at, 'start']] });
    for (const { name, at: place } of valuesAskedFor(input))
      if (!known.values.includes(name))
        report(unknownValue(name, known.values), [...at, 'input', ...place]);
    for (const [index, outcome] of outcomes.entries())
      if (!known.outcomes.includes(outcome))
        report(unknownOutcome(outcome, known.outcomes), [...at, 'outcomes', index]);
  };
}
