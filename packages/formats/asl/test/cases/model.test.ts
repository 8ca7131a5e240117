import { expect, test } from 'vitest';
import { chain, failure, only, pass, run, task } from '../run.ts';

/** Sections B.13 and B.14: models and generation of a call, and events of a state. */

test('a call has the model and the generation settings', async () => {
  const workflow = only(
    task({
      Model: { Preferred: 'large' },
      Generation: { Temperature: 0.2, StopSequences: ['END'] },
      Streaming: { Enabled: true, Mode: 'sentence' },
    }),
  );
  const { calls } = await run(workflow, { agents: { A: () => 1 } });
  expect(calls).toMatchObject([
    {
      model: 'large',
      generation: { Temperature: 0.2, StopSequences: ['END'] },
      stream: { mode: 'sentence' },
    },
  ]);
});

test('a call that fails with a listed error is repeated once, with the fallback model', async () => {
  const workflow = only(
    task({ Model: { Preferred: 'large', Fallback: 'small', FallbackOn: ['Agent.ModelError'] } }),
  );
  const busy = (error: string) => ({
    agents: { A: () => Promise.reject(failure(error, 'busy')) },
  });
  const { calls, output } = await run(workflow, busy('Agent.ModelError'));
  expect(calls.map(({ model }) => model)).toEqual(['large', 'small']);
  expect(new Set(calls.map(({ key }) => key)).size).toBe(2);
  expect(output).toMatchObject({ error: 'Agent.ModelError' });
  expect((await run(workflow, busy('Agent.Other'))).calls).toHaveLength(1);
});

test('a state emits the authored events as `event.told`, with their own names', async () => {
  const workflow = chain({
    T: task({
      Events: {
        OnEnter: { Type: 'usage.recorded', Include: ['$.id', '$.missing'] },
        OnError: { Type: 'broke', Include: ['Error'] },
      },
      Catch: [{ ErrorEquals: ['States.ALL'], Next: 'P' }],
      End: true,
    }),
    P: pass({ Events: { OnExit: { Type: 'left' } } }),
  });
  const { events } = await run(workflow, {
    input: { id: 7 },
    agents: { A: () => Promise.reject(failure('E')) },
  });
  expect(events.filter(({ type }) => type === 'event.told')).toEqual([
    { type: 'event.told', state: 'T', name: 'usage.recorded', data: { '$.id': 7 } },
    { type: 'event.told', state: 'T', name: 'broke', data: { Error: 'E' } },
    { type: 'event.told', state: 'P', name: 'left', data: {} },
  ]);
});

test('the agents of callbacks are passed to the port', async () => {
  const Callbacks = { OnChunk: 'Chunk', OnComplete: 'Done' };
  const { calls } = await run(only(task({ Streaming: { Mode: 'line', Callbacks } })), {
    agents: { A: () => 'done' },
  });
  expect(calls[0]!.stream).toEqual({
    mode: 'line',
    callbacks: { onChunk: 'Chunk', onComplete: 'Done' },
  });
});
