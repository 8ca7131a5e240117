import { visible } from '@dramaturg/compiler/text';
import type { InstanceSummary, InstanceView, Owner } from '@dramaturg/host';
import { RemoteError } from '@dramaturg/service/client';
import { Option } from 'commander';
import { command, type Command } from '../../command.ts';
import { jsonText, outputTo, type Style } from '../../output.ts';
import { type ExitCode, exitCodes } from '../../usage-error.ts';
import type { ReadingGateway } from '../gateway/gateway.ts';
import { readFromStore } from '../gateway/open-gateway.ts';
import { contactChannelOption, readLimit } from '../host-options.ts';
import { retriesOf, retryLines, unlessUnreadable } from '../print/waits.ts';
import { type Column, moreLine, writeTable } from '../print/table.ts';
import { bothDueTimes, bothTimes, dueTime, relativeTime } from '../print/time.ts';

interface PsOptions {
  readonly state?: string;
  readonly contact?: string;
  readonly channel?: string;
  readonly definition?: string;
  readonly ended?: true;
  readonly all?: true;
  readonly limit: number;
  readonly after?: string;
  readonly json?: true;
}

export function psCommand(): Command {
  return command('ps')
    .json()
    .description(
      'Lists the running instances of a store, the oldest first, with who must act and why an instance has failed.',
    )
    .store()
    .option('--state <state>', 'only instances in this state')
    .option('--contact <address>', 'only instances with this contact')
    .option(...contactChannelOption)
    .option('--definition <name>', 'only instances of this definition')
    .addOption(new Option('--ended', 'only instances that have ended').conflicts('all'))
    .option('--all', 'also instances that have ended')
    .option('--limit <number>', 'list at most this many', readLimit, 100)
    .option('--after <page>', 'continue with this page, which the end of a list names')
    .examples(
      'dramaturg ps conversations',
      'dramaturg ps conversations --state NEEDS_HUMAN_INTERVENTION',
      'dramaturg ps conversations --all --contact "+56 9 1234 5678" --channel twilio --json',
    )
    .action(list);
}

async function list(folder: string, options: PsOptions): Promise<ExitCode> {
  const output = outputTo(process.stdout);
  const { items, next, damaged, retries, owners, remarks } = await readFromStore(
    folder,
    async (gateway) => {
      const listed = await gateway.list(filterOf(options));
      return {
        ...listed,
        damaged: await damagedIn(gateway),
        retries: await retriesOf(gateway, listed.items),
        owners: await ownersOf(gateway, listed.items),
        remarks: options.json ? undefined : await remarksOf(gateway, listed.items),
      };
    },
    options.channel,
  );
  if (options.json) {
    const instances = items.map((item) => ({ ...item, ...ownerField(owners.get(item.id)) }));
    output.write(jsonText({ instances, next, retries, damaged }));
    return exitCodes.fine;
  }
  if (items.length > 0) {
    const shown = columns(Date.now(), output.width(), owners);
    writeTable(output, shown, treeOf(items), ({ id }) => remarks?.get(id) ?? []);
  } else output.write(`${nothingFound(options)}\n`);
  for (const line of retryLines(retries, Date.now()))
    output.write(`${output.paint('red', '✗')} ${visible(line)}\n`);
  if (next !== undefined) output.write(moreLine(next));
  for (const { reason, where } of damaged ?? []) {
    process.stderr.write(
      `A damaged record is set aside in ${visible(where)}: ${visible(reason)}\n`,
    );
  }
  return exitCodes.fine;
}

/** @returns undefined when only an administrator may know */
async function damagedIn(gateway: Pick<ReadingGateway, 'damaged'>) {
  try {
    return await gateway.damaged();
  } catch (error) {
    if (error instanceof RemoteError && error.code === 'access/scope') return undefined;
    throw error;
  }
}

function ownerField(owner: Owner | undefined): { readonly owner?: Owner } {
  return owner === undefined ? {} : { owner };
}

function filterOf({ ended, all, after, json: _json, ...filter }: PsOptions) {
  return {
    ...filter,
    ended: all ? undefined : ended === true,
    after: after === '' ? undefined : after,
  };
}

function nothingFound({ state, contact, definition, ended, all }: PsOptions): string {
  const isFiltered = [state, contact, definition, ended].some((each) => each !== undefined);
  if (isFiltered) return 'No instance matches.';
  return all
    ? 'The store has no instances.'
    : 'No instance is running. --all also lists instances that have ended.';
}

/** Terminals of this many columns have room for absolute times. */
const wide = 140;

/** An instance in the list. It is indented below its parent if the parent is in the list. */
interface Row extends InstanceSummary {
  readonly depth: number;
}

function treeOf(items: readonly InstanceSummary[]): readonly Row[] {
  const listed = new Set(items.map(({ id }) => id));
  const below = new Map<string, InstanceSummary[]>();
  for (const item of items) {
    const { parent = '' } = item;
    const above = listed.has(parent) ? parent : '';
    below.set(above, [...(below.get(above) ?? []), item]);
  }
  const rows = (parent: string, depth: number): Row[] =>
    (below.get(parent) ?? []).flatMap((item) => [{ ...item, depth }, ...rows(item.id, depth + 1)]);
  return rows('', 0);
}

function columns(
  now: number,
  width: number,
  owners: ReadonlyMap<string, Owner>,
): readonly Column<Row>[] {
  const time = (at: number) => (width >= wide ? bothTimes : relativeTime)(at, now);
  const due = (at: number) => (width >= wide ? bothDueTimes : dueTime)(at, now);
  return [
    {
      title: 'ID',
      text: ({ id, parent, depth }) =>
        depth === 0 ? shortId(id) : `${'  '.repeat(depth - 1)}└ ${id.slice(parent!.length)}`,
      least: 8,
    },
    { title: 'DEFINITION', text: ({ definition }) => definition.name, least: 10 },
    { title: 'CONTACT', text: ({ contact }) => contact ?? '-', least: 7 },
    {
      title: 'STATE',
      text: ({ id, state }) => {
        const { by } = owners.get(id) ?? {};
        return by === undefined ? state : `${state}, ${by}`;
      },
      least: 12,
      style: (row) => (hasFailed(row) ? 'red' : undefined),
    },
    { title: 'UPDATED', text: ({ updatedAt }) => time(updatedAt), least: 10 },
    {
      title: 'NEXT TIMER',
      text: ({ dueAt }) => (dueAt === undefined ? '-' : due(dueAt)),
      least: 10,
    },
  ];
}

/** Shortens a random id to enough characters to name it. Ids that a person has chosen stay as they are. */
function shortId(id: string): string {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id) ? id.slice(0, 8) : id;
}

/** The people who have taken over listed instances. Only a paused instance can be taken over. */
async function ownersOf(
  gateway: Pick<ReadingGateway, 'get'>,
  items: readonly InstanceSummary[],
): Promise<ReadonlyMap<string, Owner>> {
  const paused = items.filter(({ queue }) => queue === 'paused');
  const found = paused.map(async ({ id }) => {
    const view = await unlessUnreadable(gateway.get(id));
    return view?.owner ? [[id, view.owner] as const] : [];
  });
  return new Map((await Promise.all(found)).flat());
}

/** A line below an instance in a list: the person who must act, or why the instance has failed. */
interface Remark {
  readonly text: string;
  readonly style: Style;
}

/** Whether an instance has ended with a failure, or waits for a person because of a failure. */
function hasFailed({ state, queue }: Pick<InstanceSummary, 'state' | 'queue'>): boolean {
  // The built-in lifecycles end in `FAILED`. A lifecycle of an author may name this state otherwise.
  return queue === 'failed' || state === 'FAILED';
}

/** Reads the instances that need a remark, and no others. */
async function remarksOf(
  gateway: Pick<ReadingGateway, 'get'>,
  items: readonly InstanceSummary[],
): Promise<ReadonlyMap<string, readonly Remark[]>> {
  const listed = items.filter((item) => item.queue !== undefined || hasFailed(item));
  const found = listed.map(async ({ id }) => {
    const view = await unlessUnreadable(gateway.get(id));
    return [id, view ? remarksOn(view) : []] as const;
  });
  return new Map(await Promise.all(found));
}

function remarksOn(view: InstanceView): readonly Remark[] {
  if (view.ended) return failureOf(view);
  switch (view.queue) {
    case 'failed':
    case 'needsPerson':
      return [
        {
          text: `waits for a person${because(view.lifecycle['intervention_reason'])}`,
          style: view.queue === 'failed' ? 'red' : 'yellow',
        },
      ];
    case 'setAside':
      return [
        {
          text: 'is set aside: two processes in a row ended while they decided it. "dramaturg resume" tries it again, "dramaturg cancel" ends it',
          style: 'red',
        },
      ];
    case 'decisions':
      return decisionsOf(view);
    default:
      return [];
  }
}

function failureOf(view: InstanceView): readonly Remark[] {
  if (!hasFailed(view)) return [];
  const { error = null, cause = null } = view.failure ?? {};
  const said = [error, cause].filter((part) => part !== null && part !== '').join(': ');
  const reason = said === '' ? view.lifecycle['failure_reason'] : said;
  return typeof reason === 'string' && reason !== '' ? [{ text: reason, style: 'red' }] : [];
}

/** How many decisions of one instance are listed. Further ones are counted. */
const decisionsShown = 3;

function decisionsOf({ decisions }: InstanceView): readonly Remark[] {
  const shown = decisions.slice(0, decisionsShown).map((decision): Remark => {
    const text = `waits for a decision${approversOf(decision)}: ${firstLine(decision.prompt)}`;
    return { text, style: 'yellow' };
  });
  const more = decisions.length - shown.length;
  if (more === 0) return shown;
  return [...shown, { text: `and for ${more} more`, style: 'yellow' }];
}

type Decision = InstanceView['decisions'][number];

/** ` of ana or the role legal`: the people who may decide and have not decided yet. */
function approversOf({ approvers, excluded = [], approvals }: Decision): string {
  const barred = [
    ...excluded.map(({ name }) => name),
    ...(approvals?.given ?? []).map(({ by }) => by),
  ];
  if (!approvers) return barred.length > 0 ? `, but not of ${barred.join(' or ')}` : '';
  const same = (one: string) => (other: string) => one.toLowerCase() === other.toLowerCase();
  const people = [
    ...approvers.users.filter((user) => !barred.some(same(user))),
    ...approvers.roles.map((role) => `the role ${role}`),
  ];
  return people.length > 0 ? ` of ${people.join(' or ')}` : '';
}

function firstLine(text: string): string {
  return (
    text
      .split('\n')
      .find((line) => line.trim() !== '')
      ?.trim() ?? ''
  );
}

function because(reason: unknown): string {
  return typeof reason === 'string' && reason !== '' ? `: ${reason}` : '';
}
