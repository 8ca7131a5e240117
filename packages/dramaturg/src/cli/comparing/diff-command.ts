import { comparisonMermaid, visible } from '@dramaturg/compiler';
import { type Command, Option } from 'commander';
import { command, examples } from '../command.ts';
import { type DefinitionOptions, withDefinitionOptions } from '../definition-options.ts';
import { withJson } from '../host/host-options.ts';
import { outputTo } from '../output.ts';
import { type ExitCode, exitCodes, UsageError } from '../usage-error.ts';
import { visibleJson, visibleText } from '../visible.ts';
import { type ComparedDefinitions, readAndCompare } from './compared-definitions.ts';
import { printChanges } from './print-changes.ts';

interface DiffOptions extends DefinitionOptions {
  readonly to: 'text' | 'mermaid';
  readonly json?: true;
}

export function diffCommand(done: (code: ExitCode) => void): Command {
  return withJson(
    withDefinitionOptions(command('diff')),
    'print the changes as one JSON object; a diagram as { mermaid }',
  )
    .summary('compare two versions of a definition')
    .description(
      `Compares two versions of a definition: states, tasks, transitions, texts, limits. Formatting, comments and the order of keys
are no difference. The exit code is 0 when both are the same, 1 when they differ, and 2 when they cannot be compared.`,
    )
    .argument('<old>', 'the old version; template.yaml#Name is one inside a file')
    .argument('<new>', 'the new version; "-" is standard input')
    .addOption(
      new Option('--to <kind>', 'text: a list of changes; mermaid: a diagram of both versions')
        .choices(['text', 'mermaid'])
        .default('text'),
    )
    .addHelpText(
      'after',
      examples([
        'dramaturg diff intake.plan.json intake-2.plan.json',
        'dramaturg diff intake.plan.json intake-2.plan.json --to mermaid',
        'git show HEAD:intake.plan.json | dramaturg diff intake.plan.json - --json',
      ]),
    )
    .action(async (old: string, changed: string, options: DiffOptions) => {
      done(await diff(old, changed, options));
    });
}

async function diff(old: string, changed: string, options: DiffOptions): Promise<ExitCode> {
  const compared = await readAndCompare(old, changed, options);
  const { write } = outputTo(process.stdout);
  const json = (value: object) => write(`${visibleJson(JSON.stringify(value, undefined, 2))}\n`);
  if (options.to === 'mermaid') {
    const mermaid = drawingOf(compared);
    if (options.json) json({ mermaid });
    else write(visibleText(mermaid));
  } else if (options.json) json(reportOf(compared));
  else write(textOf(compared));
  return compared.changes.length === 0 ? exitCodes.fine : exitCodes.errorsFound;
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
