import type { Json } from '@dramaturg/compiler';
import { type InstanceCall, timersIn } from '../instance/instance-calls.ts';
import { continuation } from '../instance/letter.ts';
import type { Surroundings } from '../instance/surroundings.ts';
import { type InstanceHistory, openCalls } from './history.ts';

/** The fields with which a copy continues: its open calls, timers and questions, and whether it continues immediately (H9). */
export function startOfCopy(copy: InstanceHistory, isWaitedFor: Surroundings['isWaitedFor']) {
  const { status, ended, state, attention, hasMore } = copy.instance;
  const { queue, since } = attention;
  const open = openCalls(copy.instance);
  const calls = [...open.values()];
  const isWaiting = ({ call, repeatAt }: InstanceCall) =>
    repeatAt !== undefined || isWaitedFor(call.port);
  const questions = calls.filter((each) => each.call.port === 'requestDecision' && isWaiting(each));
  return {
    status,
    ended,
    // A claim of the original does not apply to the copy.
    snapshot: { ...state, claim: null } as unknown as Json,
    timers: timersIn(open),
    questions: questions.length,
    attention: queue === undefined || since === undefined ? {} : { queue, since },
    outbox: [
      ...calls
        .filter((each) => !isWaiting(each))
        .map(({ letter, call }) => ({ id: letter, body: { kind: 'call', port: call.port } })),
      ...(hasMore ? [{ id: continuation, body: { kind: continuation } }] : []),
    ],
  };
}
