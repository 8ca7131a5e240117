import type { DefinitionChange } from '@dramaturg/compiler/chart';
import { visible } from '@dramaturg/compiler/text';
import type { ComparedDefinitions } from './compared-definitions.ts';

/** Nouns of the outlines whose names instances keep as data. */
const dataNouns: readonly string[] = ['deliverable', 'output variable', 'variable'];
const stateNouns: readonly string[] = ['state', 'task', 'scenario'];

/** A migration file with the renamed parts that were recognised, for its author to check. */
export function migrationSkeleton(
  { old, new: changed, changes }: ComparedDefinitions,
  definition: string,
): string {
  const lines = [
    `# A migration of the instances of ${JSON.stringify(definition)} from ${visible(old.name)} to ${visible(changed.name)}.`,
    '# Check it, then see what it would do:  dramaturg migrate <store> <this file>',
    `definition: ${JSON.stringify(definition)}`,
    '# The new version; its path is relative to this file.',
    `new: ${JSON.stringify(changed.name)}`,
    ...section('states', changes, stateNouns, [
      '# New names of states and tasks, by their old ones. An instance in a state that is gone needs one.',
    ]),
    ...section('data', changes, dataNouns, [
      '# New names of data, by their old ones; null drops the data.',
    ]),
    '# Open calls of states that ask otherwise now: they go on as they were made ("keep"), or the instance is not migrated ("block").',
    'calls: keep',
  ];
  return `${lines.join('\n')}\n`;
}

function section(
  field: string,
  changes: readonly DefinitionChange[],
  nouns: readonly string[],
  comment: readonly string[],
): readonly string[] {
  const own = changes.filter(({ part }) => nouns.includes(part.at(-1)?.noun ?? ''));
  const names = new Map(
    own.flatMap((each) => (each.change === 'renamed' ? [[each.from, each.to] as const] : [])),
  );
  const gone = own.flatMap((each) => (each.change === 'removed' ? [each.part.at(-1)!.name] : []));
  const lines = [
    ...[...names].map(([from, to]) => `  ${JSON.stringify(from)}: ${JSON.stringify(to)}`),
    // Without an answer nothing is assumed about them.
    ...[...new Set(gone)].map((name) => `  # ${JSON.stringify(name)}: ?  (gone)`),
  ];
  return [...comment, names.size > 0 ? `${field}:` : `${field}: {}`, ...lines];
}
