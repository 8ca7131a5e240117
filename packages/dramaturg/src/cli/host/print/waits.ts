import { visible } from '@dramaturg/compiler/text';
import type { InstanceSummary, InstanceView, StatePosition, Wait } from '@dramaturg/host';
import type { ReadingGateway } from '../gateway/gateway.ts';
import { decisionTerms } from './decision.ts';
import { bothDueTimes, bothTimes, relativeTime } from './time.ts';

/** A state with the states around it: `Orders › item 3 › Charge, line 14`. */
export function stateText({ path, position }: StatePosition): string {
  const steps = path.flatMap(({ state, item, branch }) => [
    state,
    ...(item === undefined ? [] : [`item ${item}`]),
    ...(branch === undefined ? [] : [`branch ${branch}`]),
  ]);
  return `${steps.join(' › ')}${position ? `, line ${position.line}` : ''}`;
}

/** Describes a wait of an instance: its kind, its place and its time, a line each. */
export function waitLines(wait: Wait, { id, decisions }: InstanceView, now: number): string[] {
  const due = (time: number) => bothDueTimes(time, now);
  const { since, timeoutAt, heartbeatAt } = wait;
  const times = [
    ...(since === undefined ? [] : [`since ${bothTimes(since, now)}`]),
    ...(timeoutAt === undefined ? [] : [`times out ${due(timeoutAt)}`]),
    ...(heartbeatAt === undefined ? [] : [`heartbeat expected ${due(heartbeatAt)}`]),
  ];
  return [...subject(), ...where(), ...times].map(visible);

  function subject(): string[] {
    switch (wait.for) {
      case 'call': {
        const { name, port, key, instance, heartbeatToken } = wait;
        return [
          `a call of ${name === undefined ? port : `${port} ${name}`}`,
          ...(instance === undefined ? [] : [`made by the instance ${instance}`]),
          `key ${key}`,
          ...(heartbeatToken === undefined ? [] : [`token for heartbeats ${heartbeatToken}`]),
        ];
      }
      case 'token':
        return [`the task token ${wait.token}`];
      case 'decision': {
        const decision = decisions.find((each) => each.id === wait.id);
        const terms = decision ? `: ${decisionTerms(decision)}` : '';
        return [`a decision: ${wait.prompt}`, `${id}/${wait.id}${terms}`];
      }
      case 'timer':
        return [`a timer, ${due(wait.at)}`];
      case 'retry': {
        const { attempt, error, cause } = wait;
        return [
          `retry ${attempt}, ${due(wait.at)}`,
          `after ${error ?? 'an error without a name'}${cause === null ? '' : `: ${cause}`}`,
        ];
      }
      case 'items': {
        const { total, waiting, running, failed } = wait;
        const ended = total - waiting - running;
        return [
          `${total} items: ${running} running, ${waiting} not begun, ${ended} ended (${failed} failed)`,
        ];
      }
      case 'message':
        return ['a message of the contact'];
      case 'event':
        return [`events: ${wait.events.join(', ')}`];
    }
  }

  function where(): string[] {
    if (wait.path.length === 0 || wait.source === 'lifecycle') return [];
    return [`in ${stateText(wait)}`];
  }
}

/** A failed call of an instance that is repeated. */
interface Retry {
  readonly id: string;
  /** The number of the next attempt. */
  readonly attempt: number;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  /** Why the last attempt has failed. */
  readonly cause: string | null;
}

/** Errors of an instance that was erased after it was listed, or that is damaged, which the list itself shows. */
const unreadable: readonly unknown[] = ['host/unknown-instance', 'host/damaged', 'store/damaged'];

export async function unlessUnreadable<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (unreadable.includes((error as { readonly code?: unknown }).code)) return undefined;
    throw error;
  }
}

/** The state of a conversation in which calls are made. */
const working = 'ACTIVE';

/** The repeated calls of listed instances. For instances with their own lifecycles, `show` prints them. */
export async function retriesOf(
  gateway: Pick<ReadingGateway, 'get'>,
  items: readonly InstanceSummary[],
): Promise<readonly Retry[]> {
  const listed = items.filter(({ state }) => state === working);
  const found = listed.map(async ({ id }) => {
    const { waits } = (await unlessUnreadable(gateway.get(id))) ?? { waits: [] };
    return waits.flatMap((wait) =>
      wait.for === 'retry' ? [{ id, attempt: wait.attempt, at: wait.at, cause: wait.cause }] : [],
    );
  });
  return (await Promise.all(found)).flat();
}

/** One line for each retry. */
export function retryLines(retries: readonly Retry[], now: number): readonly string[] {
  return retries.map(({ id, attempt, at, cause }) => {
    const because = cause === null ? '' : ` ${cause}`;
    return `${id}: a call has failed and is made again ${relativeTime(Math.max(at, now), now)} (attempt ${attempt}).${because}`;
  });
}
