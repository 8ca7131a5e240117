import type { ItemStatus, ItemSummary } from '@dramaturg/host';
import { Option } from 'commander';
import { type Command, command } from '../../command.ts';
import { type Output, outputTo, jsonText } from '../../output.ts';
import { findInstance, readFromStore } from '../gateway/open-gateway.ts';
import { readLimit } from '../host-options.ts';
import { type Column, moreLine, writeTable } from '../print/table.ts';
import { stateText } from '../print/waits.ts';

interface ItemsOptions {
  readonly status?: ItemStatus;
  readonly state?: string;
  readonly limit: number;
  readonly after?: string;
  readonly json?: true;
}

const statuses: readonly ItemStatus[] = ['waiting', 'running', 'succeeded', 'failed', 'stopped'];

export function itemsCommand(): Command {
  return command('items')
    .json()
    .description(
      'Lists the items of the Maps that a run is in, or that it has failed in, such as the child executions of a distributed Map: status, input, output or error, and the state in which an item is.',
    )
    .store()
    .instance()
    .addOption(new Option('--status <status>', 'only items with this status').choices(statuses))
    .option('--state <name>', 'only items of the Map with this name')
    .option('--limit <number>', 'how many to list', readLimit, 100)
    .option('--after <page>', 'continue with this page, which the end of a list names')
    .examples(
      'dramaturg items runs order-1',
      'dramaturg items runs order-1 --status failed',
      'dramaturg items runs order-1 --state Orders --limit 1000 --json',
    )
    .action(async (folder: string, given: string, options: ItemsOptions) => {
      const { status, state, limit, after } = options;
      const { items, next } = await readFromStore(folder, async (gateway) => {
        const id = await findInstance(gateway, given, folder);
        return gateway.items(id, { status, state, limit, after });
      });
      const output = outputTo(process.stdout);
      if (options.json) {
        output.write(jsonText({ items, next }));
      } else write(output, items, next);
    });
}

function write(output: Output, items: readonly ItemSummary[], next: string | undefined): void {
  if (items.length === 0) {
    output.write('There are no such items. The results of a Map that has ended are its output.\n');
    return;
  }
  writeTable(output, columns, items);
  if (next !== undefined) output.write(moreLine(next));
}

/** Values are cut at this length: longer ones are of no use in a table. */
const longestText = 1_000;

const columns: readonly Column<ItemSummary>[] = [
  { title: 'item', text: ({ path }) => stateText({ path }), least: 12 },
  { title: 'status', text: ({ status }) => status, least: 9 },
  { title: 'input', text: ({ input }) => shortJson(input), least: 10 },
  { title: 'result', text: resultOf, least: 10 },
];

/** The output or the error; for a running item the states in which it rests. */
function resultOf({ output, failure, states, path }: ItemSummary): string {
  if (failure) {
    const { error, cause, state } = failure;
    const place = state ? ` in ${withinItem(state, path.length)}` : '';
    return `${error ?? 'an error without a name'}${cause ? `: ${cause}` : ''}${place}`;
  }
  if (output !== undefined) return shortJson(output);
  return states.map((state) => `in ${withinItem(state, path.length)}`).join('; ');
}

function withinItem({ path, position }: ItemSummary['states'][number], depth: number): string {
  return stateText({ path: path.slice(depth), ...(position && { position }) });
}

function shortJson(value: ItemSummary['input']): string {
  return JSON.stringify(value).slice(0, longestText);
}
