import { comparisonMermaid } from '@dramaturg/compiler/chart';
import { visible } from '@dramaturg/compiler/text';
import { type Command, Option } from 'commander';
import { command, examples } from '../command.ts';
import { type DefinitionOptions, withDefinitionOptions } from '../definition-options.ts';
import { withJson } from '../host/host-options.ts';
import { outputTo } from '../output.ts';
import { type ExitCode, exitCodes, UsageError } from '../usage-error.ts';
import { visibleJson, visibleText } from '../visible.ts';
import { type ComparedDefinitions, readAndCompare } from './compared-definitions.ts';
import { AffectedInstances, assessedPages, printAffected } from './affected-instances.ts';
import { migrationSkeleton } from './migration-skeleton.ts';
import { nameOf, readDefinition } from '../definition-file.ts';
import { readFromStore } from '../host/gateway/read-from-store.ts';
import { printChanges } from './print-changes.ts';

interface DiffOptions extends DefinitionOptions {
  readonly to: 'text' | 'mermaid' | 'migration';
  readonly store?: string;
  readonly definition?: string;
  readonly json?: true;
}

export function diffCommand(done: (code: ExitCode) => void): Command {
  return withJson(
    withDefinitionOptions(command('diff')),
    'print the changes as one JSON object; a diagram as { mermaid }',
  )
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
    .addHelpText(
      'after',
      examples([
        'dramaturg diff intake.plan.json intake-2.plan.json',
        'dramaturg diff intake.plan.json intake-2.plan.json --to mermaid',
        'dramaturg diff intake.plan.json intake-2.plan.json --store conversations',
        'dramaturg diff intake.plan.json intake-2.plan.json --to migration > intake.migration.yaml',
        'git show HEAD:intake.plan.json | dramaturg diff intake.plan.json - --json',
      ]),
    )
    .action(async (old: string, changed: string, options: DiffOptions) => {
      done(await diff(old, changed, options));
    });
}

async function diff(old: string, changed: string, options: DiffOptions): Promise<ExitCode> {
  const compared = await readAndCompare(old, changed, options);
  const output = outputTo(process.stdout);
  const { write } = output;
  const json = (value: object) => write(`${visibleJson(JSON.stringify(value, undefined, 2))}\n`);
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
