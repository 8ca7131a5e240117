import type { Act, ActFilter } from '@dramaturg/host';
import { actsCsv } from '@dramaturg/service/client';
import { InvalidArgumentError, Option } from 'commander';
import { type Command, command } from '../../command.ts';
import { outputTo, jsonText } from '../../output.ts';
import { type ExitCode, exitCodes } from '../../usage-error.ts';
import { readFromStore } from '../gateway/open-gateway.ts';
import { contactChannelOption, readLimit } from '../host-options.ts';
import { type Column, writeTable, moreLine } from '../print/table.ts';
import { localTime } from '../print/time.ts';

interface ActsOptions extends ActFilter {
  readonly limit: number;
  readonly after?: string;
  readonly csv?: true;
  readonly json?: true;
}

export function actsCommand(): Command {
  return command('acts')
    .json()
    .description(
      'Lists what people have done with instances: take-overs, messages by hand, notes, decisions and other commands. The oldest instance comes first, and the acts of each are in order. Erased instances have left the list.',
    )
    .store()
    .option('--from <time>', 'acts from this time on', readTime)
    .option('--to <time>', 'acts before this time', readTime)
    .option('--by <name>', 'only acts of this person')
    .option('--contact <address>', 'only acts in conversations with this contact')
    .option(...contactChannelOption)
    .option('--limit <number>', 'list at most this many', readLimit, 100)
    .option('--after <page>', 'continue with this page, which the end of a list names')
    .addOption(new Option('--csv', 'print all pages as CSV').conflicts('json'))
    .examples(
      'dramaturg acts conversations --by ana',
      'dramaturg acts conversations --from 2026-03-01 --to 2026-04-01 --csv',
      'dramaturg acts conversations --contact "+56 9 1234 5678" --channel twilio --json',
    )
    .action(list);
}

async function list(folder: string, options: ActsOptions): Promise<ExitCode> {
  const output = outputTo(process.stdout);
  const { limit, after, csv, json, ...filter } = options;
  if (csv) {
    await readFromStore(
      folder,
      async (gateway) => {
        for await (const part of actsCsv(gateway, filter)) output.write(part);
      },
      filter.channel,
    );
    return exitCodes.fine;
  }
  const { items, next } = await readFromStore(
    folder,
    (gateway) => gateway.acts({ ...filter, format: 'json', limit, after }),
    filter.channel,
  );
  if (json) {
    output.write(jsonText({ acts: items, next }));
    return exitCodes.fine;
  }
  if (items.length > 0) writeTable(output, columns, items);
  else output.write('Nobody has done anything that matches.\n');
  if (next !== undefined) output.write(moreLine(next));
  return exitCodes.fine;
}

const columns: readonly Column<Act>[] = [
  { title: 'TIME', text: ({ at }) => localTime(at), least: 19 },
  { title: 'BY', text: ({ by }) => by ?? '-', least: 6 },
  { title: 'ACT', text: ({ act }) => act, least: 9 },
  { title: 'INSTANCE', text: ({ instance }) => instance, least: 8 },
  { title: 'CONTACT', text: ({ contact }) => contact ?? '-', least: 7 },
  {
    title: 'WHAT',
    text: ({ decision, option, text }) =>
      [decision && `${decision}: ${option}`, text].filter(Boolean).join(', ') || '-',
    least: 10,
  },
];

/** @returns milliseconds since 1970 UTC */
function readTime(given: string): number {
  const time = Date.parse(given);
  if (!Number.isNaN(time)) return time;
  throw new InvalidArgumentError('Expected a date such as 2026-03-01 or 2026-03-01T09:30Z.');
}
