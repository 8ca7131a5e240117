import { describe, expect, test } from 'vitest';
import type { PortCall, PortError, PortInput, PortOutput } from '../src/index.ts';
import { askPort, longestMessage, ThoughtFilter, withoutThoughts } from '../src/entries/machine.ts';

/** Texts of models, and what is said of them. */
const texts: readonly (readonly [written: string, said: string])[] = [
  ['<think>She wants a table.</think>For how many?', 'For how many?'],
  ['\n<THINK>\nİ {"name": "no"}\n</Think>\n\nHello', 'Hello'],
  ['<think>one</think><thinking>two</thinking> <think></think>Hi', 'Hi'],
  ['[THINK]hm[/THINK]Hi', 'Hi'],
  ['◁think▷hm◁/think▷Hi', 'Hi'],
  ['<|begin_of_thought|>hm<|end_of_thought|>Hi', 'Hi'],
  ['<|START_THINKING|>hm<|END_THINKING|>Hi', 'Hi'],
  ['<|channel|>analysis<|message|>hm<|end|><|channel|>final<|message|>Hi', 'Hi'],
  ['<reasoning>hm</reasoning>Hi', 'Hi'],
  ['The prompt has the beginning.\n</think>\n\nHi', 'Hi'],
  ['<think>It never ends: {"name": "Maria"}', ''],
  ['<think>', ''],
  ['I <think> so', 'I <think> so'],
  ['Write `</think>` at its end.', 'Write `</think>` at its end.'],
  ['<thin', '<thin'],
  ['<3 you', '<3 you'],
  ['  indented', '  indented'],
  ['', ''],
];

const input = {
  key: 'c/1',
  transcript: { conversation: 'c', length: 0 },
  prompt: [],
  asks: [],
  directions: [],
  tools: [],
} satisfies PortInput<'reply'>;

async function answerOf(
  output: PortOutput<'reply'>,
  parts: readonly string[] = [],
  port: 'reply' | 'think' = 'reply',
) {
  const shown: string[] = [];
  const call: PortCall = { signal: AbortSignal.any([]), onText: (part) => shown.push(part) };
  const answer = await askPort(
    port,
    (_, { onText }) => {
      for (const part of parts) onText(part);
      return output;
    },
    input,
    call,
  );
  return { answer: answer as PortOutput<'reply'>, shown: shown.join('') };
}

describe('thoughts', () => {
  test.each(texts)('%j is said as %j', (written, said) => {
    expect(withoutThoughts(written)).toBe(said);
  });

  test.each(texts.filter(([written]) => !written.includes('\n</think>')))(
    '%j is streamed without thoughts, however it is divided',
    (written, said) => {
      for (const size of [1, 2, 3, 7, 100]) {
        const filter = new ThoughtFilter();
        let shown = '';
        for (let at = 0; at < written.length; at += size)
          shown += filter.hear(written.slice(at, at + size));
        expect((shown + filter.end()).trim()).toBe(said.trim());
      }
    },
  );

  test.each(['reply', 'think'] as const)('the text of a port "%s" has none', async (port) => {
    const { answer, shown } = await answerOf(
      { text: '<think>Secret.</think>Hello' },
      ['<th', 'ink>Secret.</thi', 'nk>Hel', 'lo'],
      port,
    );
    expect(answer.text).toBe('Hello');
    expect(port === 'think' ? '' : shown).not.toContain('Secret');
  });

  test('alone are a failed call, unless the answer has calls of tools', async () => {
    const text = '<think>Only this.';
    await expect(answerOf({ text })).rejects.toMatchObject({ code: 'port/failed' });
    const toolCalls = [{ name: 'search', arguments: {} }];
    expect((await answerOf({ text, toolCalls })).answer).toMatchObject({ text: '', toolCalls });
  });
});

test.each(['length', 'max_tokens', 'MAX_TOKENS', 'content_filter', 'content-filter', 'SAFETY'])(
  'a reply with the finish reason %s is a failed call',
  async (finishReason) => {
    const usage = { inputTokens: 3 };
    await expect(answerOf({ text: 'It costs', finishReason, usage })).rejects.toMatchObject({
      code: 'port/failed',
      message: `The port "reply" gave no whole answer: it was cut off (${finishReason}).`,
      usage: { inputTokens: 3 },
    });
  },
);

test('a reply that has stopped by itself is whole', async () => {
  const { answer } = await answerOf({ text: 'It costs 5.', finishReason: 'stop' });
  expect(answer.text).toBe('It costs 5.');
});

test('a reply that is longer than a message may be fails', async () => {
  await expect(answerOf({ text: 'x'.repeat(longestMessage + 1) })).rejects.toMatchObject({
    code: 'port/bad-output',
  });
  expect((await answerOf({ text: 'x'.repeat(longestMessage) })).answer.text).toHaveLength(
    longestMessage,
  );
});

test.each([
  ['a person waits', { message: 'Hello?' }, false],
  ['nobody waits', {}, true],
  ['the message is early', { message: 'yes', early: true as const }, true],
])('an empty text where %s', async (_, more, isWhole) => {
  const call: PortCall = { signal: AbortSignal.any([]), onText: () => {} };
  const ask = (output: PortOutput<'reply'>) =>
    askPort('reply', () => output, { ...input, ...more }, call);
  const answer = await ask({ text: ' \n' }).catch(({ code }: PortError) => ({ text: code }));
  expect(answer).toMatchObject({ text: isWhole ? ' \n' : 'port/failed' });
  const toolCalls = [{ name: 'end_conversation', arguments: {} }];
  expect(await ask({ text: '', toolCalls })).toMatchObject({ text: '' });
});
