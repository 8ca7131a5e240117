import { problem, type Report } from '@dramaturg/compiler/format';
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
