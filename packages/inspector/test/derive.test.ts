import type { RecordedActor } from '@dramaturg/inspector';
import { expect, test } from 'vitest';
import { callsIn, questionsIn, timersIn } from '../page/src/data/derive.ts';

function asking(port: string, input: Readonly<Record<string, unknown>>): RecordedActor {
  return {
    sessionId: String(input['key']),
    rootId: 'root',
    parentId: 'root',
    name: port,
    definition: undefined,
    call: { port, key: String(input['key']), input },
    snapshot: { status: 'active' },
    bornAt: 0,
    changedAt: 0,
  };
}

function callsOf(...actors: readonly RecordedActor[]) {
  return callsIn(new Map(actors.map((actor) => [actor.sessionId, actor])));
}

test('a timer that names no time is not shown, and the next one is the first', () => {
  const calls = callsOf(
    asking('timer', { key: 'b', at: 2_000 }),
    asking('timer', { key: 'a', at: 1_000 }),
    asking('timer', { key: 'c', at: 'soon' }),
    asking('timer', { key: 'd', at: 1e300 }),
  );
  expect(timersIn(calls).map(({ key }) => key)).toEqual(['a', 'b']);
});

test('a question is shown where it has a text, and options to choose from', () => {
  const options = [{ id: 'approve', description: '' }];
  const calls = callsOf(
    asking('requestDecision', { key: 'a', prompt: 'Does it go out?', options }),
    asking('requestDecision', { key: 'b', prompt: { a: 1 }, options }),
    asking('requestDecision', { key: 'c', prompt: 'Does it?', options: 'yes' }),
    asking('requestDecision', { key: 'd', prompt: 'Does it?', options: [null] }),
  );
  expect(questionsIn(calls)).toEqual([{ key: 'a', prompt: 'Does it go out?', options }]);
});
