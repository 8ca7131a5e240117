import { expect, test } from 'vitest';
import { extract } from '../src/extract.ts';
import { reply } from '../src/reply.ts';
import { callAfter, midway } from './calls.ts';

/** "Yes" belongs to the offer of a person, or to the question in the same line, or to neither. */

const offer = 'You can also say "person" to talk to a person.';
const city = { name: 'city', question: 'City', schema: { type: 'string' }, required: true };
const agrees = { name: 'agrees', question: 'Agree', schema: { type: 'boolean' }, required: true };

async function answerTo(
  { name, schema }: typeof city,
  agentLine: string,
  message: string,
  early?: true,
) {
  const before = callAfter([`agent: ${agentLine}`]);
  const input = { ...midway, message, ...(early && { early }) };
  const properties = { [name]: schema };
  const found = (await extract(
    {
      ...input,
      schema: { type: 'object', properties },
      ...(!early && { asked: { path: [name] } }),
    },
    before,
  )) as { value: Record<string, unknown> };
  const asks = [city, agrees].filter((each) => each.name === name);
  const said = await reply({ ...input, asks, directions: [], tools: [] }, before);
  return [found.value[name], said.toolCalls?.map((call) => call.name) ?? []];
}

const asksPerson = ['request_human_intervention'];

test.each([
  ['a yes accepts the offer', city, `City? ${offer}`, [undefined, asksPerson]],
  ['a yes answers a question of yes or no', agrees, `Agree? ${offer}`, [true, []]],
  ['a yes to the question after the offer accepts nothing', agrees, 'Agree?', [true, []]],
] as const)('%s', async (_, ask, line, expected) => {
  expect(await answerTo(ask, line, 'yes please')).toEqual(expected);
});

test.each([city, agrees])(
  'a yes that is older than the offer, or the question, neither accepts nor answers: $name',
  async (ask) => {
    const [, tools] = await answerTo(ask, `${ask.question}? ${offer}`, 'yes please', true);
    expect(tools).toEqual([]);
  },
);
