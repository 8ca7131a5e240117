import { langchainPorts, type LangchainOptions } from '@dramaturg/langchain';
import { describe, expect, test } from 'vitest';
import { choose, extract, portsOver, quietly, reply, think } from './ports-over.ts';

const modes = ['jsonSchema', 'functionCalling', 'text'] as const;
const thought = '<think>Perhaps {"name": "Wrong", "option": "leave"}.</think>';

/** A model of LangChain that gives one message, as a whole and in parts. */
function modelOf(message: object): LangchainOptions['model'] {
  const part = { ...message, concat: () => part };
  const stream = async () =>
    (async function* parts() {
      yield part;
    })();
  return { invoke: async () => message, stream } as unknown as LangchainOptions['model'];
}

describe('thoughts of a model', () => {
  test('are neither said nor streamed', async () => {
    const ports = await portsOver({ text: `${thought} Hello Maria!` });
    let shown = '';
    const call = quietly({ onText: (part) => (shown += part) });
    expect((await ports.reply(reply(), call)).text).toBe('Hello Maria!');
    expect(shown.trim()).toBe('Hello Maria!');
    expect((await ports.think(think(), quietly())).text).toBe('Hello Maria!');
  });

  test.each(modes)('are not read as an answer in the mode %s', async (answers) => {
    const ports = await portsOver(
      ({ response_format: format, messages }) => {
        const wantsOption = JSON.stringify([format, messages]).includes('# The options');
        const value = wantsOption ? { option: 'stay', reason: '' } : { name: 'Maria' };
        return { text: `${thought}\n${JSON.stringify(value)}` };
      },
      { answers },
    );
    expect((await ports.extract(extract(), quietly())).value).toEqual({ name: 'Maria' });
    expect((await ports.choose(choose(), quietly())).option).toBe('stay');
  });

  test.each(modes)('without an end are no answer in the mode %s', async (answers) => {
    const ports = await portsOver({ text: '<think>{"name": "Wrong"}' }, { answers });
    expect((await ports.extract(extract(), quietly())).value).toEqual({});
    await expect(ports.reply(reply(), quietly())).rejects.toMatchObject({
      code: 'port/bad-output',
    });
  });

  test.each([
    ['reasoning_content', { additional_kwargs: { reasoning_content: 'Secret.' }, content: 'Hi' }],
    [
      'parts of Anthropic',
      {
        content: [
          { type: 'thinking', thinking: 'Secret.' },
          { type: 'text', text: 'Hi' },
        ],
      },
    ],
    [
      'parts of OpenAI',
      {
        content: [
          { type: 'reasoning', reasoning: 'Secret.' },
          { type: 'text', text: 'Hi' },
        ],
      },
    ],
  ])('in %s are not said', async (_, message) => {
    const ports = langchainPorts({ model: modelOf(message) });
    expect((await ports.reply(reply(), quietly())).text).toBe('Hi');
  });
});

describe('an answer that was cut off', () => {
  test.each([
    ['OpenAI', { finish_reason: 'length' }],
    ['OpenAI, filtered', { finish_reason: 'content_filter' }],
    ['OpenAI, responses', { incomplete_details: { reason: 'max_output_tokens' } }],
    ['Anthropic', { stop_reason: 'max_tokens' }],
    ['Google', { finishReason: 'MAX_TOKENS' }],
    ['Google, filtered', { finishReason: 'SAFETY' }],
    ['Bedrock', { messageStop: { stopReason: 'max_tokens' } }],
    ['Ollama', { done_reason: 'length' }],
    ['Mistral', { finish_reason: 'model_length' }],
  ])('by %s is a failed call', async (_, response_metadata) => {
    const ports = langchainPorts({ model: modelOf({ content: 'It costs', response_metadata }) });
    for (const answer of [ports.reply(reply(), quietly()), ports.think(think(), quietly())])
      await expect(answer).rejects.toMatchObject({
        code: 'port/failed',
        message: expect.stringContaining('was cut off'),
      });
  });

  test.each(modes)('is not read in the mode %s, and is asked for again once', async (answers) => {
    const ports = await portsOver(
      (_, count) =>
        count === 1
          ? { text: '{"x": {"option": "leave"}, "reason', finish: 'length' }
          : { text: '{"option": "stay", "reason": ""}' },
      { answers },
    );
    expect((await ports.choose(choose(), quietly())).option).toBe('stay');
    const broken = await portsOver({ text: '{"name": "Ma', finish: 'length' }, { answers });
    await expect(broken.extract(extract(), quietly())).rejects.toMatchObject({
      code: 'port/failed',
    });
    expect(broken.server.requests).toHaveLength(2);
  });
});
