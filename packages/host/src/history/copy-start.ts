import type { Json } from '@dramaturg/compiler';
import type { Surroundings } from '../instance/surroundings.ts';
import { type InstanceHistory, openCalls } from './history.ts';

/** The fields with which a copy goes on: its open calls, timers and questions. */
export function startOfCopy(copy: InstanceHistory, isWaitedFor: Surroundings['isWaitedFor']) {
  const { status, ended, state, attention } = copy.instance;
  const { queue, since } = attention;
  const calls = [...openCalls(copy.instance)];
  const isWaiting = ([, { call }]: (typeof calls)[number]) => isWaitedFor(call.port);
  const questions = calls.filter(
    (each) => each[1].call.port === 'requestDecision' && isWaiting(each),
  );
  return {
    status,
    ended,
    // Nobody has taken the copy over.
    snapshot: { ...state, claim: null } as unknown as Json,
    timers: copy.view().timers,
    questions: questions.length,
    attention: queue === undefined || since === undefined ? {} : { queue, since },
    outbox: calls
      .filter((each) => !isWaiting(each))
      .map(([letter, { call }]) => ({ id: letter, body: { kind: 'call', port: call.port } })),
  };
}
