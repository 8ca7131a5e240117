import type { InstanceSummary, InstanceView } from '@dramaturg/host';
import type { Style } from '../../output.ts';
import type { ReadingGateway } from '../gateway/gateway.ts';
import { unlessUnreadable } from './retries.ts';

/** A line below an instance in a list: the person who must act, or why the instance has failed. */
export interface Remark {
  readonly text: string;
  readonly style: Style;
}

/** Whether an instance has ended with a failure, or waits for a person because of a failure. */
export function hasFailed({ state, queue }: Pick<InstanceSummary, 'state' | 'queue'>): boolean {
  // `FAILED` is a state of the lifecycle of conversations and runs. Lifecycles of authors have their own names.
  return queue === 'failed' || state === 'FAILED';
}

/** Reads the instances that need a remark, and no others. */
export async function remarksOf(
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
