import type { Path } from '@dramaturg/compiler';
import { problem, type Report } from '@dramaturg/compiler/format';
import { didYouMean } from '@dramaturg/compiler/text';
import { type OnEnd, valuesAskedFor } from './hand-on.ts';
import type { UnknownDefinitions } from '@dramaturg/compiler/shapes';

/** The problems of definitions that a conversation names: those that do not exist, and those that start it again. */
export function definitionProblems(format: string) {
  return {
    unknownDefinition: problem(
      `${format}/unknown-definition`,
      'warning',
      (name: string, meant?: string) =>
        meant === undefined
          ? {
              message: `There is no definition "${name}" next to this file.`,
              hint: `Put its file there, such as ${name}.asl.json, or pass it to the command: --definition ${name}=FILE.`,
            }
          : {
              message: `"${name}" does not begin with a known kind of definition.`,
              hint: `Did you mean "${meant}"?`,
            },
    ),
    cycleOfStarts: problem(`${format}/cycle-of-starts`, 'warning', (names: readonly string[]) => ({
      message: `This definition starts itself again and again${names.length > 0 ? `, by way of ${names.map((name) => `"${name}"`).join(' and ')}` : ''}.`,
      hint: 'Remove one of the starts, or limit it to an outcome that ends the cycle.',
    })),
  };
}

export function reportDefinitions(
  { unknownDefinition, cycleOfStarts }: ReturnType<typeof definitionProblems>,
  found: UnknownDefinitions = [],
  report: Report,
): void {
  for (const { path, name, meant, cycle } of found)
    report(cycle ? cycleOfStarts(cycle) : unknownDefinition(name, meant), path);
}

/** The problems of definitions that are started at an end. */
export function startProblems(format: string) {
  return {
    emptyStart: problem(`${format}/empty-start`, 'error', () => ({
      message: 'It is not said what is started at the end.',
      hint: 'Add "start": the name of a definition, such as "workflow:booking".',
    })),
    unknownStartValue: problem(
      `${format}/unknown-start-value`,
      'error',
      (name: string, known: readonly string[]) => ({
        message: `There is no value "${name}", so {{${name}}} stays empty.`,
        hint: () => didYouMean(name, known) ?? `The values are ${known.join(', ')}.`,
      }),
    ),
    unknownStartOutcome: problem(
      `${format}/unknown-start-outcome`,
      'error',
      (outcome: string, known: readonly string[]) => ({
        message: `There is no outcome "${outcome}".`,
        hint: () => didYouMean(outcome, known) ?? `The outcomes are ${known.join(', ')}.`,
      }),
    ),
  };
}

export function checkOnEnd(
  { emptyStart, unknownStartValue, unknownStartOutcome }: ReturnType<typeof startProblems>,
  { start, input, outcomes = [] }: OnEnd,
  known: { readonly values: readonly string[]; readonly outcomes: readonly string[] },
  at: Path,
  report: Report,
): void {
  if (start.trim() === '') report(emptyStart(), at, { about: [[...at, 'start']] });
  for (const { name, at: place } of valuesAskedFor(input))
    if (!known.values.includes(name))
      report(unknownStartValue(name, known.values), [...at, 'input', ...place]);
  for (const [index, outcome] of outcomes.entries())
    if (!known.outcomes.includes(outcome))
      report(unknownStartOutcome(outcome, known.outcomes), [...at, 'outcomes', index]);
}
