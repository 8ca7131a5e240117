import type { Json, Port } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { streamCallbacks } from '../src/index.ts';

const callbacks = { onChunk: 'Chunk', onComplete: 'Done', onError: 'Lost' };

/** Asks an agent that streams some parts, and lists the calls of the callbacks. */
async function ask(
  parts: readonly string[],
  stream: { mode: string; chunkSize?: number },
  fails: readonly string[] = [],
) {
  const told: [string, Json][] = [];
  const runAgent: Port<'runAgent'> = async ({ agent, input }, { onText }) => {
    if (agent !== 'Writer') told.push([agent, input]);
    else for (const part of parts) onText(part);
    if (fails.includes(agent)) throw new Error(`${agent} is down`);
    return { result: 'answer', usage: { inputTokens: 1, cost: 2 } };
  };
  const answer = Promise.resolve(
    streamCallbacks(runAgent)(
      { key: 'k', agent: 'Writer', input: null, stream: { ...stream, callbacks } },
      { signal: new AbortController().signal, onText: () => {} },
    ),
  );
  const outcome = await answer.then(
    ({ usage }) => usage,
    (error: Error) => error.message,
  );
  const chunks = told.flatMap(([agent, about]) =>
    agent === 'Chunk' ? [(about as { chunk: string }).chunk] : [],
  );
  return { outcome, told, chunks };
}

test.for([
  [{ mode: 'token' }, ['One. ', 'Two', '.'], ['One. ', 'Two', '.']],
  [{ mode: 'line' }, ['a', 'b\nc', '\nd'], ['ab\n', 'c\n', 'd']],
  [{ mode: 'sentence' }, ['One. Tw', 'o! Three'], ['One.', ' Two!', ' Three']],
  [{ mode: 'chunk', chunkSize: 4 }, ['ab', 'cde', 'f'], ['abcde', 'f']],
  [{ mode: 'token' }, [], ['answer']],
] as const)('%j cuts %j into chunks', async ([stream, parts, chunks]) => {
  const { told, ...found } = await ask(parts, stream);
  expect(found.chunks).toEqual(chunks);
  expect(told.at(-1)).toEqual(['Done', { result: 'answer' }]);
  expect(found.outcome).toMatchObject({
    inputTokens: chunks.length + 2,
    cost: 2 * (chunks.length + 2),
  });
});

test('a failed answer is told, and fails', async () => {
  const { outcome, told } = await ask(['a'], { mode: 'token' }, ['Writer']);
  expect(outcome).toBe('Writer is down');
  expect(told.at(-1)).toEqual(['Lost', { error: 'Writer is down' }]);
});

test.for(['Chunk', 'Done'])('a callback that fails fails the call: %s', async (agent) => {
  const { outcome } = await ask(['a'], { mode: 'token' }, [agent]);
  expect(outcome).toBe(`${agent} is down`);
});
