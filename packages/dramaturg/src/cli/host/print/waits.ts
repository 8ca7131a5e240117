import { visible } from '@dramaturg/compiler/text';
import type { InstanceView, StatePosition, Wait } from '@dramaturg/host';
import { decisionTerms } from './decision.ts';
import { bothDueTimes, bothTimes } from './time.ts';

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
