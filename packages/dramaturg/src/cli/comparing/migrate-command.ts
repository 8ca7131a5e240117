import { dirname, join } from 'node:path';
import { hasErrors, isRecord, printPretty } from '@dramaturg/compiler';
import { problem, read, Reporter } from '@dramaturg/compiler/format';
import { checkShape } from '@dramaturg/compiler/shapes';
import { didYouMean, quotedList, visible } from '@dramaturg/compiler/text';
import type { Answer, InstanceAssessment, MigrationMap } from '@dramaturg/host';
import { versionOf } from '@dramaturg/host/engine';
import type { DefinitionFile as SentDefinition } from '@dramaturg/service/client';
import { Option } from 'commander';
import * as z from 'zod';
import { hosted } from '../../host.ts';
import { type Command, command, examples } from '../command.ts';
import { type DefinitionFile, readDefinition, requireNoErrors } from '../definition-file.ts';
import { type DefinitionOptions, withDefinitionOptions } from '../definition-options.ts';
import { readText, standardInput, titleOf } from '../files.ts';
import { openFor, SentMessages } from '../host/commands/run-operation.ts';
import { explainFailures } from '../host/gateway/explain-error.ts';
import type { Gateway } from '../host/gateway/gateway.ts';
import { readFromStore } from '../host/gateway/open-gateway.ts';
import { requireStore } from '../host/gateway/store-folder.ts';
import { type HostOptions, withHostOptions } from '../host/host-options.ts';
import { outputTo, jsonText } from '../output.ts';
import { type ExitCode, exitCodes } from '../usage-error.ts';
import { AffectedInstances, assessedPages, printAffected } from './affected-instances.ts';

interface MigrateOptions extends HostOptions, DefinitionOptions {
  readonly apply?: true;
  readonly undo?: true;
  readonly json?: true;
}

export function migrateCommand(): Command {
  return withHostOptions(withDefinitionOptions(command('migrate')).json())
    .description(
      `Moves running instances to a new version of their definition, as a migration file says. Without --apply it only reports what
would happen to each. Each instance is migrated in one step, which its journal has; instances that the new version cannot go on with
keep their version.`,
    )
    .store()
    .argument(
      '<migration>',
      'the migration file, which "dramaturg diff <old> <new> --to migration" begins; "-" is standard input',
    )
    .addOption(new Option('--apply', 'migrate the instances').conflicts('undo'))
    .option('--undo', 'undo the migration of instances to which nothing has happened since')
    .addHelpText(
      'after',
      `
If an instance is not migrated, or the migration is not undone, the command exits with 6.
${examples([
  'dramaturg diff intake.plan.json intake-2.plan.json --to migration > intake.migration.yaml',
  'dramaturg migrate conversations intake.migration.yaml',
  'dramaturg migrate conversations intake.migration.yaml --apply',
  'dramaturg migrate conversations intake.migration.yaml --undo --json',
])}`,
    )
    .action(migrate);
}

async function migrate(folder: string, file: string, options: MigrateOptions): Promise<ExitCode> {
  const { definition, new: changed, map } = await readMigration(file);
  const changedTo = await readDefinition(changed, definition, options);
  await requireStore(folder);
  if (options.apply)
    return change(folder, options, changedTo, (gateway, report) =>
      apply(gateway, changedTo.order, map, report),
    );
  if (options.undo)
    return change(folder, options, changedTo, (gateway, report) =>
      undo(gateway, changedTo, report),
    );
  const affected = new AffectedInstances();
  await readFromStore(folder, async (gateway) => {
    for await (const page of assessedPages(gateway, changedTo.order, map))
      for (const each of page) affected.add(each);
  });
  const { write, ...output } = outputTo(process.stdout);
  if (options.json)
    write(jsonText({ applied: false, ...affected.counts, groups: affected.groups }));
  else {
    write(printAffected(affected, { write, ...output }));
    write('\nNothing has changed. Add --apply to migrate those that are not blocked.\n');
  }
  return affected.countOf('blocked') > 0 ? exitCodes.refused : exitCodes.fine;
}

/** Counts the instances that were changed and those that were refused, with examples of refusals. */
class ChangeReport {
  done = 0;
  readonly refused: { readonly id: string; readonly code: string; readonly because: string }[] = [];
  refusedCount = 0;

  add(id: string, answer: Answer): void {
    if (answer.accepted) this.done += 1;
    else {
      this.refusedCount += 1;
      // A hundred examples are enough: other refusals are like these.
      if (this.refused.length < 100)
        this.refused.push({ id, code: answer.code, because: answer.because });
    }
  }
}

async function change(
  folder: string,
  options: MigrateOptions,
  { order }: DefinitionFile,
  work: (gateway: Gateway, report: ChangeReport) => Promise<void>,
): Promise<ExitCode> {
  const output = outputTo(process.stdout);
  const messages = new SentMessages(output, options.json === true);
  const report = new ChangeReport();
  await explainFailures(folder, async () => {
    const gateway = await openFor({ folder, command: 'migrate', options }, messages.show);
    try {
      await work(gateway, report);
      await gateway.settle();
    } finally {
      await gateway.close();
    }
  });
  const { done, refused, refusedCount } = report;
  const word = options.undo ? 'undone' : 'migrated';
  if (options.json)
    output.write(
      jsonText({ definition: order.name, [word]: done, refused: refusedCount, refusals: refused }),
    );
  else {
    output.write(`${output.paint('green', '✓')} ${done} ${word}, ${refusedCount} not.\n`);
    for (const { id, because } of refused)
      output.write(`${output.paint('red', '✗')} ${visible(id)}: ${visible(because)}\n`);
  }
  return refusedCount > 0 ? exitCodes.refused : exitCodes.fine;
}

/** Migrates the instances. From now on, new instances also begin with the new version. */
async function apply(
  gateway: Gateway,
  order: SentDefinition,
  map: MigrationMap,
  report: ChangeReport,
): Promise<void> {
  const { name, ...file } = order;
  await gateway.define(name, file);
  for await (const page of assessedPages(gateway, order, map))
    await inBatches(page, async (each) =>
      report.add(each.id, await migrateOne(gateway, each, map)),
    );
}

/** The host decides again: the instance may have continued since it was assessed. */
async function migrateOne(
  gateway: Gateway,
  { id, version, verdict, because }: InstanceAssessment,
  map: MigrationMap,
): Promise<Answer> {
  if (verdict === 'blocked')
    return {
      accepted: false,
      state: '',
      code: 'migration/blocked',
      because: because.join(' '),
      accepts: [],
    };
  return gateway.migrate(id, { map, from: version });
}

async function undo(
  gateway: Gateway,
  { compiled, order }: DefinitionFile,
  report: ChangeReport,
): Promise<void> {
  const { chart, lifecycle } = hosted(order.name, compiled);
  const life =
    lifecycle === 'own' ? undefined : { name: lifecycle.id, version: versionOf(lifecycle) };
  const version = versionOf(chart, life);
  for (let after: string | undefined; ;) {
    const filter = { definition: order.name, ended: false };
    const { items, next } = await gateway.list({ ...filter, limit: 1_000, after });
    await inBatches(items, async ({ id }) => {
      const { definition } = await gateway.get(id);
      if (definition.version === version) report.add(id, await gateway.migrate(id, { undo: true }));
    });
    if (next === undefined) return;
    after = next;
  }
}

/** How many instances are changed at the same time: each write is one step of one instance. */
const batchSize = 16;

async function inBatches<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < items.length; from += batchSize)
    await Promise.all(items.slice(from, from + batchSize).map(work));
}

/** A migration file. Spec: docs/versions.md#the-migration-file */
const shape = z.object({
  definition: z.string(),
  new: z.string(),
  states: z.record(z.string(), z.string()).nullish(),
  data: z.record(z.string(), z.string().nullable()).nullish(),
  calls: z.enum(['keep', 'block']).optional(),
});

const unknownField = problem(
  'migration/unknown-field',
  'error',
  (field: string, known: readonly string[]) => ({
    message: `A migration has no field "${field}".`,
    hint: didYouMean(field, known) ?? `Its fields are ${quotedList(known)}.`,
  }),
);

interface MigrationFile {
  /** The name under which the instances were started. */
  readonly definition: string;
  /** The file of the new version. */
  readonly new: string;
  readonly map: MigrationMap;
}

/**
 * Reads a migration, and prints its mistakes with their positions.
 *
 * @throws DefinitionError when it has errors
 */
async function readMigration(file: string): Promise<MigrationFile> {
  const source = read(await readText(file), { fileName: 'migration.yaml' });
  const reporter = new Reporter(source);
  reporter.run(() => {
    checkShape(source.value, shape, reporter.reportShape);
    const known = Object.keys(shape.shape);
    for (const field of isRecord(source.value) ? Object.keys(source.value) : [])
      if (!known.includes(field))
        reporter.report(unknownField(field, known), [field], { at: 'key' });
  });
  const diagnostics = reporter.sorted();
  if (hasErrors(diagnostics)) {
    const { write, colour, width } = outputTo(process.stderr);
    const name = titleOf(file);
    write(
      printPretty(diagnostics, { text: source.text, fileName: name }, { colour, width: width() }),
    );
    requireNoErrors({ source, diagnostics }, file, exitCodes.usage);
  }
  const { definition, new: changed, states, data, calls } = shape.parse(source.value);
  const folder = file === standardInput ? '.' : dirname(file);
  return {
    definition,
    new: join(folder, changed),
    map: { ...(states && { states }), ...(data && { data }), ...(calls && { calls }) },
  };
}
