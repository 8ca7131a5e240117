import { join } from 'node:path';
import { didYouMean, visible } from '@dramaturg/compiler/text';
import { isName, type Kind, kindRows, kinds, newDefinition, writeNewFiles } from 'create-dramaturg';
import { type Command, command } from '../command.ts';
import { statusOf } from '../files.ts';
import { outputTo, jsonLine } from '../output.ts';
import { UsageError } from '../usage-error.ts';

interface NewOptions {
  readonly folder: string;
  readonly json?: true;
}

export function newCommand(): Command {
  return command('new')
    .json('print the names of the files as { definition, test }')
    .description(
      'Writes a first definition that explains itself in comments, and its tests. It runs without a model. Files that exist are never overwritten.',
    )
    .argument('<kind>', kinds.map((kind) => `${kind}: ${kindRows[kind].title}`).join('; '))
    .argument('[name]', 'the name of the files, such as intake for intake.plan.yaml')
    .option('--folder <folder>', 'the folder of the files', '.')
    .examples('dramaturg new plan intake', 'dramaturg new workflow refund --folder flows')
    .action(async (kind: string, name: string | undefined, options: NewOptions) => {
      await writeDefinition(knownKind(kind), name, options);
    });
}

/** Formats whose kind has another name. */
const otherNames: Readonly<Record<string, Kind>> = {
  asl: 'workflow',
  conversation: 'plan',
  'context-graph': 'graph',
};

function knownKind(given: string): Kind {
  const kind = Object.hasOwn(otherNames, given) ? otherNames[given]! : given;
  if ((kinds as readonly string[]).includes(kind)) return kind as Kind;
  throw new UsageError(
    `There is no kind "${visible(given)}".`,
    didYouMean(given, kinds) ?? `The kinds are ${kinds.join(', ')}.`,
  );
}

async function writeDefinition(
  kind: Kind,
  name: string = kindRows[kind].defaultName,
  { folder, json }: NewOptions,
): Promise<void> {
  if (!isName(name))
    throw new UsageError(
      `"${visible(name)}" cannot be a name.`,
      'Use letters, digits, hyphens and underscores, and begin with a letter or a digit; the ending of the file is added.',
    );
  const status = await statusOf(folder);
  if (status && !status.isDirectory())
    throw new UsageError(`"${visible(folder)}" is not a folder.`, 'Name a folder with --folder.');
  const files = newDefinition(kind, name, folder);
  const [existing] = await writeNewFiles(folder, files);
  if (existing !== undefined)
    throw new UsageError(
      `"${visible(join(folder, existing))}" exists already.`,
      'Choose another name, or another folder with --folder.',
    );
  const [definition, test] = files.map((file) => join(folder, file.name)) as [string, string];
  const { write } = outputTo(process.stdout);
  if (json) write(jsonLine({ definition, test }));
  else
    write(
      `Wrote ${visible(definition)} and ${visible(test)}. Next:\n  npx dramaturg ${kindRows[kind].run} ${visible(definition)}\n  npx dramaturg test ${visible(test)}\n`,
    );
}
