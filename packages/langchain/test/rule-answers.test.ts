import type { JsonObject, PortInput } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import { choose, extract, portsOver, quietly, reply } from './ports-over.ts';

/** What a rule answers, or what the model was asked. */
async function extracted(input: Partial<PortInput<'extract'>>) {
  const { server, ...ports } = await portsOver({ text: '{"asked": true}' });
  const answer = Promise.resolve(ports.extract(extract(input), quietly()));
  // An answer that does not fit fails, too.
  const output = await answer.catch(() => undefined);
  return server.requests.length === 0 ? output?.value : 'asked';
}

const object = (properties: object, more: object = {}): JsonObject => ({
  type: 'object',
  properties: properties as JsonObject,
  additionalProperties: false,
  ...more,
});

describe('a schema that only one value fits asks no model', () => {
  test.each<[string, JsonObject, object | 'asked']>([
    ['no fields', object({}), {}],
    ['no fields, and none named', { type: 'object', additionalProperties: false }, {}],
    [
      'a tool without arguments',
      object({ arguments: { type: 'object', properties: {} } }, { required: ['arguments'] }),
      { arguments: {} },
    ],
    [
      'one option, which is required',
      object({ a: { enum: ['x'], description: 'A' }, b: { const: 7 } }, { required: ['a', 'b'] }),
      { a: 'x', b: 7 },
    ],
    ['one option, which may be left out', object({ a: { enum: ['x'] } }), 'asked'],
    ['several options', object({ a: { enum: ['x', 'y'] } }, { required: ['a'] }), 'asked'],
    [
      'a tool with any arguments',
      object({ arguments: { type: 'object' } }, { required: ['arguments'] }),
      'asked',
    ],
    [
      'a tool with further arguments',
      object(
        { arguments: { type: 'object', properties: {}, additionalProperties: true } },
        { required: ['arguments'] },
      ),
      'asked',
    ],
    [
      'arguments by a pattern',
      object(
        { arguments: { type: 'object', properties: {}, patternProperties: { '^x': {} } } },
        { required: ['arguments'] },
      ),
      'asked',
    ],
    ['a field that is required and not named', object({}, { required: ['a'] }), 'asked'],
    ['an alternative', object({}, { anyOf: [{}] }), 'asked'],
  ])('%s', async (_, schema, value) => {
    expect(await extracted({ schema })).toEqual(value);
  });

  test('with tools to use first, the model is asked', async () => {
    const tools = [{ name: 'look', description: 'Look.', parameters: {} }];
    expect(await extracted({ schema: object({}), tools })).toBe('asked');
  });
});

const kind = { type: 'string', enum: ['billing', 'technical', 'general'] };
const schema = object({ deliverables: object({ kind, note: { type: 'string' } }) });
const asked = { path: ['deliverables', 'kind'] };

describe('a message that is nothing but an option of the question asks no model', () => {
  test.each([
    ['billing', 'billing'],
    [' Technical \n', 'technical'],
    ['GENERAL', 'general'],
  ])('%j', async (message, option) => {
    expect(await extracted({ message, schema, asked })).toEqual({ deliverables: { kind: option } });
  });

  test.each<[string, Partial<PortInput<'extract'>>]>([
    ['a sentence', { message: 'It is billing' }],
    ['a denial', { message: 'not billing' }],
    ['an option and more', { message: 'billing, 4711' }],
    ['no option', { message: 'constructor' }],
    ['nothing', { message: ' ' }],
    ['no message', { message: undefined }],
    ['another question', { asked: { path: ['deliverables', 'note'] } }],
    ['no question', { asked: undefined }],
    ['a value to confirm', { asked: { ...asked, unconfirmed: 'general' } }],
    [
      'an option that another question has as well',
      { schema: object({ deliverables: object({ kind, other: kind }) }) },
    ],
    ['an option of a longer list', { schema: object({ kind: object({ kind }) }) }],
  ])('the model reads %s', async (_, more) => {
    expect(await extracted({ message: 'billing', schema, asked, ...more })).toBe('asked');
  });
});

test('a choice with one option asks no model, unless the option is to be judged', async () => {
  const { server, ...ports } = await portsOver({ text: '{"option": "stay", "reason": ""}' });
  const options = [{ id: 'stay', description: '' }];
  expect(await ports.choose(choose({ options }), quietly())).toEqual({ option: 'stay' });
  expect(server.requests.length).toBe(0);
  await ports.choose(choose({ options, requiresJudgement: true }), quietly());
  expect(server.requests.length).toBe(1);
});

test('with combined replies, a rule answers the data and the model is asked for the reply alone', async () => {
  const { server, ...ports } = await portsOver({ text: 'Noted.' }, { combineReplies: true });
  const next = { prompt: [], tools: [], cases: [] };
  const { value } = await ports.extract(
    extract({ message: 'billing', schema, asked, reply: next }),
    quietly(),
  );
  expect(value).toEqual({ deliverables: { kind: 'billing' } });
  expect((await ports.reply(reply({ message: 'billing' }), quietly())).text).toBe('Noted.');
  expect(server.requests.length).toBe(1);
});
