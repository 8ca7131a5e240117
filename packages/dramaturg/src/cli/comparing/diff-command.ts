import { hasErrors, isRecord, type Json } from '@dramaturg/compiler';
import {
  type ComparedDefinition,
  compareDefinitions,
  comparisonMermaid,
  type DefinitionChange,
  type PartName,
} from '@dramaturg/compiler/chart';
import { counted, visible, withArticle } from '@dramaturg/compiler/text';
import { Option } from 'commander';
import { check } from '../../compile.ts';
import { formatNamed } from '../../known-formats.ts';
import { type Command, command } from '../command.ts';
import { nameOf, readDefinition, requireNoErrors } from '../definition-file.ts';
import {
  type DefinitionOptions,
  requireOptions,
  withDefinitionOptions,
} from '../definition-options.ts';
import { readOnePart } from '../definition-parts.ts';
import { titleOf } from '../files.ts';
import { readFromStore } from '../host/gateway/open-gateway.ts';
import { jsonText, type Output, outputTo, printProblems, visibleText } from '../output.ts';
import { type ExitCode, exitCodes, UsageError } from '../usage-error.ts';
import { AffectedInstances, assessedPages, printAffected } from './affected-instances.ts';

interface DiffOptions extends DefinitionOptions {
  readonly to: 'text' | 'mermaid' | 'migration';
  readonly store?: string;
  readonly definition?: string;
  readonly json?: true;
}

export function diffCommand(): Command {
  return withDefinitionOptions(command('diff'))
    .json('print the changes as one JSON object; a diagram as { mermaid }')
    .description(
      `Compares two versions of a definition: states, tasks, transitions, texts, limits. Formatting, comments and the order of keys
are no difference. The exit code is 0 when both are the same, 1 when they differ, and 2 when they cannot be compared.`,
    )
    .argument('<old>', 'the old version; template.yaml#Name is one inside a file')
    .argument('<new>', 'the new version; "-" is standard input')
    .addOption(
      new Option(
        '--to <kind>',
        'text: a list of changes; mermaid: a diagram of both versions; migration: a file for "dramaturg migrate"',
      )
        .choices(['text', 'mermaid', 'migration'])
        .default('text'),
    )
    .option(
      '--store <store>',
      'also say what the new version means for the running instances of a store: which are compatible, migratable or blocked',
    )
    .option(
      '--definition <name>',
      'the name under which instances were started (default: the name of the old file)',
    )
    .examples(
      'dramaturg diff intake.plan.json intake-2.plan.json',
      'dramaturg diff intake.plan.json intake-2.plan.json --to mermaid',
      'dramaturg diff intake.plan.json intake-2.plan.json --store conversations',
      'dramaturg diff intake.plan.json intake-2.plan.json --to migration > intake.migration.yaml',
      'git show HEAD:intake.plan.json | dramaturg diff intake.plan.json - --json',
    )
    .action(diff);
}

async function diff(old: string, changed: string, options: DiffOptions): Promise<ExitCode> {
  const compared = await readAndCompare(old, changed, options);
  const output = outputTo(process.stdout);
  const { write } = output;
  const json = (value: object) => write(jsonText(value));
  if (options.to === 'mermaid') {
    const mermaid = drawingOf(compared);
    if (options.json) json({ mermaid });
    else write(visibleText(mermaid));
  } else if (options.to === 'migration') {
    const migration = migrationSkeleton(compared, options.definition ?? nameOf(old));
    if (options.json) json({ migration });
    else write(visibleText(migration));
  } else {
    const affected =
      options.store === undefined
        ? undefined
        : await affectedBy(changed, old, options, options.store);
    if (options.json)
      json({
        ...reportOf(compared),
        ...(affected && { instances: { ...affected.counts, groups: affected.groups } }),
      });
    else {
      write(textOf(compared));
      if (affected) write(`\n${printAffected(affected, output)}`);
    }
  }
  return compared.changes.length === 0 ? exitCodes.fine : exitCodes.errorsFound;
}

async function affectedBy(
  changed: string,
  old: string,
  options: DiffOptions,
  store: string,
): Promise<AffectedInstances> {
  const { order } = await readDefinition(changed, options.definition ?? nameOf(old), options);
  const affected = new AffectedInstances();
  await readFromStore(store, async (gateway) => {
    for await (const page of assessedPages(gateway, order, {}))
      for (const each of page) affected.add(each);
  });
  return affected;
}

function textOf({ old, new: changed, title, changes }: ComparedDefinitions): string {
  if (changes.length > 0)
    return printChanges(changes, { old: old.name, new: changed.name }, outputTo(process.stdout));
  return `${visible(old.name)} and ${visible(changed.name)} are the same ${title}.\n`;
}

function reportOf({ old, new: changed, changes }: ComparedDefinitions): object {
  return {
    format: old.format,
    old: old.name,
    new: changed.name,
    isSame: changes.length === 0,
    changes,
  };
}

function drawingOf({ old, new: changed, changes }: ComparedDefinitions): string {
  const [before, after] = [old.definition.chart, changed.definition.chart];
  if (before && after) return comparisonMermaid(before, after, changes);
  throw new UsageError(
    'A definition with placeholders is drawn once they have values.',
    'Give the values with --set or --substitutions.',
  );
}

/** Nouns of outline parts that instances store by name in their data. */
const dataNouns: readonly string[] = ['deliverable', 'output variable', 'variable'];
const stateNouns: readonly string[] = ['state', 'task', 'scenario'];

/** A migration file with the renamed parts that were recognised, for its author to check. */
function migrationSkeleton(
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
    // Removed parts are comments: the author decides about them, and nothing is assumed.
    ...[...new Set(gone)].map((name) => `  # ${JSON.stringify(name)}: ?  (gone)`),
  ];
  return [...comment, names.size > 0 ? `${field}:` : `${field}: {}`, ...lines];
}

/** A version of a definition for a comparison. */
interface DefinitionVersionFile {
  /** The name of the file, for people. */
  readonly name: string;
  readonly format: string;
  readonly definition: ComparedDefinition;
}

/** Two versions of a definition, and their differences. */
interface ComparedDefinitions {
  readonly old: DefinitionVersionFile;
  readonly new: DefinitionVersionFile;
  /** The noun for a definition of their format. */
  readonly title: string;
  readonly changes: readonly DefinitionChange[];
}

/**
 * Reads and compares two definitions.
 *
 * @throws UsageError when one of them has errors, which are printed, or when they have different formats
 */
async function readAndCompare(
  old: string,
  changed: string,
  options: DefinitionOptions,
): Promise<ComparedDefinitions> {
  const [before, after] = [await readVersion(old, options), await readVersion(changed, options)];
  if (before.format !== after.format) {
    const [one, other] = [before, after].map(({ format }) =>
      withArticle(formatNamed(format)!.title),
    );
    throw new UsageError(
      `"${visible(before.name)}" is ${one}, and "${visible(after.name)}" is ${other}.`,
      'Compare two definitions of one format.',
    );
  }
  const { outline, title } = formatNamed(before.format)!;
  const changes = compareDefinitions(before.definition, after.definition, outline);
  return { old: before, new: after, title, changes };
}

async function readVersion(
  given: string,
  options: DefinitionOptions,
): Promise<DefinitionVersionFile> {
  const { file, text, options: compileOptions } = await readOnePart(given, options);
  const checked = check(text, compileOptions);
  requireOptions(checked);
  if (hasErrors(checked.diagnostics)) printProblems(checked, file);
  // As for the command `diff` of the system, 1 means that they differ, and 2 that they cannot be compared.
  requireNoErrors(checked, file, exitCodes.usage);
  return {
    name: titleOf(given),
    format: checked.format!,
    definition: checked,
  };
}

const indent = '    ';
/** A string that is longer or has line breaks gets a line of its own. */
const shortMax = 48;

/** Prints changes for people, grouped by state. Positions are in the new definition, those of removed parts in the old one. */
function printChanges(
  changes: readonly DefinitionChange[],
  names: { readonly old: string; readonly new: string },
  { paint }: Output,
): string {
  const lines = [summaryOf(changes, names)];
  for (const [title, group] of groupsOf(changes)) {
    const [first] = group;
    const isWhole = group.length === 1 && first!.part.length <= 1 && first!.change !== 'changed';
    if (isWhole) lines.push('', ...changeLines(first!, names, paint));
    else {
      lines.push('', paint('bold', title));
      for (const each of group)
        lines.push(...changeLines(each, names, paint).map((line) => `${indent}${line}`));
    }
  }
  return `${lines.join('\n')}\n`;
}

function summaryOf(
  changes: readonly DefinitionChange[],
  names: { readonly old: string; readonly new: string },
): string {
  const kinds = ['added', 'removed', 'renamed', 'moved', 'changed'] as const;
  const counts = kinds
    .map((kind) => [kind, changes.filter(({ change }) => change === kind).length] as const)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${kind}`);
  const what = `${counted(changes.length, 'change')}: ${counts.join(', ')}`;
  return `${visible(names.old)} → ${visible(names.new)}: ${what}.`;
}

/** The changes by the outermost part, in the order of the definition. */
function groupsOf(
  changes: readonly DefinitionChange[],
): ReadonlyMap<string, readonly DefinitionChange[]> {
  const groups = new Map<string, DefinitionChange[]>();
  for (const each of changes) {
    const [outermost] = each.part;
    const title = outermost ? printPart([outermost]) : 'The definition';
    groups.set(title, [...(groups.get(title) ?? []), each]);
  }
  return groups;
}

function changeLines(
  change: DefinitionChange,
  names: { readonly old: string; readonly new: string },
  paint: Output['paint'],
): readonly string[] {
  const place = change.new
    ? `${names.new}:${change.new.line}:${change.new.column}`
    : change.old && `${names.old}:${change.old.line}:${change.old.column}`;
  const where = place === undefined ? '' : `  ${paint('dim', visible(place))}`;
  const inner = change.part.length > 1 ? change.part.slice(1) : change.part;
  switch (change.change) {
    case 'added':
      return [`${paint('green', `+ ${printPart(inner)}`)}${where}`];
    case 'removed':
      return [`${paint('red', `- ${printPart(inner)}`)}${where}`];
    case 'renamed':
      return [
        `${paint('yellow', '~')} ${printPart(inner)} was ${quoted(change.from)} before: its content is similar${where}`,
      ];
    case 'moved':
      return [
        `${paint('yellow', '~')} ${printPart(inner)} moved from position ${change.from} to ${change.to}${where}`,
      ];
    case 'changed': {
      const owner = change.part.length > 1 ? `${printPart(inner)}: ` : '';
      const head = `${paint('yellow', '~')} ${owner}${visible(change.field)}`;
      return fieldLines(head, change.from, change.to, where, paint);
    }
  }
}

function fieldLines(
  head: string,
  from: Json | undefined,
  to: Json | undefined,
  where: string,
  paint: Output['paint'],
): readonly string[] {
  if (Array.isArray(from) && Array.isArray(to)) {
    const [gone, come] = [itemsOnlyIn(from, to), itemsOnlyIn(to, from)];
    if (gone.length === 0 && come.length === 0) return [`${head}: other order${where}`];
    return [
      `${head}${where}`,
      ...gone.map((item) => paint('red', `${indent}- ${printValue(item)}`)),
      ...come.map((item) => paint('green', `${indent}+ ${printValue(item)}`)),
    ];
  }
  if (from === undefined && to === undefined) return [`${head}${where}`];
  const [before, after] = [from, to].map((value) => value !== undefined && printValue(value));
  const isShort = [before, after].every((text) => text === false || text!.length <= shortMax);
  if (isShort) {
    if (before === false) return [`${head}: now ${after}${where}`];
    if (after === false) return [`${head}: no longer ${before}${where}`];
    return [`${head}: ${before} → ${after}${where}`];
  }
  return [
    `${head}${where}`,
    ...(before === false ? [] : [paint('red', `${indent}- ${before}`)]),
    ...(after === false ? [] : [paint('green', `${indent}+ ${after}`)]),
  ];
}

/** The items that occur more often in a list than in another. */
function itemsOnlyIn(list: readonly Json[], other: readonly Json[]): readonly Json[] {
  const others = other.map((item) => JSON.stringify(item));
  return list.filter((item) => {
    const at = others.indexOf(JSON.stringify(item));
    if (at !== -1) others.splice(at, 1);
    return at === -1;
  });
}

/** `task "facts" of state "intake"` is printed from the inside out. */
function printPart(part: readonly PartName[]): string {
  return part
    .toReversed()
    .map(({ noun, name }) => `${noun} ${quoted(name)}`)
    .join(' of ');
}

function quoted(name: string): string {
  return `"${visible(name)}"`;
}

function printValue(value: Json): string {
  if (!isRecord(value) && !Array.isArray(value)) return visible(JSON.stringify(value));
  return visible(
    JSON.stringify(value)
      .replaceAll(/"([A-Za-z_]\w*)":/g, '$1: ')
      .replaceAll(',', ', '),
  );
}
