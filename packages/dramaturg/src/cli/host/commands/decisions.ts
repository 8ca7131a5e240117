import { type Command, command } from '../../command.ts';
import { outputTo, jsonText } from '../../output.ts';
import { type ExitCode, exitCodes } from '../../usage-error.ts';
import { findInstance, readFromStore } from '../gateway/open-gateway.ts';
import { collect, contactChannelOption, readLimit } from '../host-options.ts';
import { writeDecision } from '../print/decision.ts';
import { moreLine } from '../print/table.ts';

interface DecisionsOptions {
  readonly instance?: string;
  readonly definition?: string;
  readonly contact?: string;
  readonly channel?: string;
  readonly by?: string;
  readonly role?: readonly string[];
  readonly limit: number;
  readonly after?: string;
  readonly json?: true;
}

export function decisionsCommand(): Command {
  return command('decisions')
    .json()
    .description('Lists the decisions that instances wait for, the oldest instance first.')
    .store()
    .option('--instance <id>', 'only those of this instance')
    .option('--definition <name>', 'only those of this definition')
    .option('--contact <address>', 'only those of instances with this contact')
    .option(...contactChannelOption)
    .option('--by <name>', 'only those that this person may decide')
    .option('--role <name>', 'a role of that person; may be repeated', collect)
    .option('--limit <number>', 'how many to list', readLimit, 100)
    .option('--after <page>', 'continue with this page, which the end of a list names')
    .examples(
      'dramaturg decisions runs',
      'dramaturg decisions runs --by ana --role legal',
      'dramaturg decisions runs --definition release --json',
    )
    .action(list);
}

async function list(folder: string, options: DecisionsOptions): Promise<ExitCode> {
  const output = outputTo(process.stdout);
  const { limit, after, instance, definition, contact, channel, by, role } = options;
  const { items, next } = await readFromStore(
    folder,
    async (gateway) =>
      gateway.decisions({
        instance:
          instance === undefined ? undefined : await findInstance(gateway, instance, folder),
        definition,
        contact,
        channel,
        by,
        roles: role,
        limit,
        after,
      }),
    channel,
  );
  if (options.json) {
    output.write(jsonText({ decisions: items, next }));
    return exitCodes.fine;
  }
  if (items.length === 0) output.write('There are no open decisions.\n');
  const now = Date.now();
  for (const each of items) writeDecision(output, each, now);
  if (next !== undefined) output.write(moreLine(next));
  return exitCodes.fine;
}
