import { InputError, type JsonObject } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import { edges, loose, planOf, state, task, to } from './build.ts';
import { Conversation } from './conversation.ts';

const asking = planOf(
  state('a', loose(task('ask', 'name')), edges(to('b'))),
  state('b', loose(task('next', 'city'))),
);
const withForm = {
  ...asking,
  session_context: {
    fields: [
      { id: 'company', label: 'Company', type: 'string' },
      { id: 'seats', label: 'Seats', type: 'number', required: false },
    ],
  },
};
const onDemand = {
  ...asking,
  metadata: { plan_builder: { start: { agent_spawn_mode: 'on_demand' } } },
};

async function problems(definition: object, input: JsonObject): Promise<readonly string[]> {
  const refused = await Conversation.start(definition, {}, input).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(InputError);
  return (refused as InputError).problems;
}

describe('the input of a plan', () => {
  test('is refused for an undeclared session field, and the error lists the declared ones', async () => {
    expect(await problems(withForm, { session: { compny: 'Acme', company: 'Acme' } })).toEqual([
      '"session.compny" is unknown. Did you mean "company"? Known: company, seats.',
    ]);
    expect(await problems(asking, { session: { company: 'Acme' } })).toEqual([
      '"session.company" is unknown. Known: no fields.',
    ]);
  });

  test('is refused, and the error lists everything that is missing, unknown or wrong', async () => {
    expect(await problems(withForm, { session: { seats: 'many', extra: 1 }, sesion: {} })).toEqual([
      '"sesion" is unknown. Did you mean "session"? Known: session, opening, conversation.',
      '"company" (Company) is missing',
      '"seats" must be a number',
      '"session.extra" is unknown. Known: company, seats.',
    ]);
  });

  test('is refused when the session is not an object', async () => {
    expect(await problems(asking, { session: ['Acme'] })).toEqual(['"session" must be an object']);
  });
});

describe('the first word', () => {
  test('is the agent’s, unless the plan is on demand', async () => {
    const first = await Conversation.start(asking);
    expect(first.emitted.map(({ type }) => type)).toEqual(['state.entered', 'message.sent']);
    const second = await Conversation.start(onDemand);
    expect(second.emitted.map(({ type }) => type)).toEqual(['state.entered']);
    expect([second.asked.reply, second.asked.extract]).toEqual([undefined, undefined]);
    expect(second.isWaiting).toBe(true);
  });

  test('is the person’s if the input says so, and one reply greets and answers', async () => {
    const conversation = await Conversation.start(asking, {}, { opening: 'person' });
    expect(conversation.isWaiting).toBe(true);
    expect(conversation.asked.reply).toBeUndefined();
    await conversation.turn({ deliverables: { name: 'Ada' } });
    expect(conversation.emitted.filter(({ type }) => type === 'message.sent')).toHaveLength(1);
    expect([conversation.state, conversation.deliverable('name')]).toEqual(['b', 'Ada']);
  });

  test('is not an answer if no question was asked', async () => {
    const conversation = await Conversation.start(asking, {}, { opening: 'person' });
    await conversation.turn();
    expect(conversation.asked.extract.asked).toBeUndefined();
    await conversation.turn();
    expect(conversation.asked.extract.asked).toMatchObject({ path: ['deliverables', 'name'] });
  });

  test('is the agent’s if the input says so, also in a plan on demand', async () => {
    const conversation = await Conversation.start(onDemand, {}, { opening: 'agent' });
    expect(conversation.emitted.map(({ type }) => type)).toEqual(['state.entered', 'message.sent']);
  });
});
