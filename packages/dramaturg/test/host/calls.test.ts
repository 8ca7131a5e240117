import { describe, expect, test } from 'vitest';
import {
  type Channel,
  compile,
  type JsonObject,
  type PortInput,
  understudyPorts,
} from '../../src/index.ts';
import { places, Stage } from './stage.ts';

/** Plans whose tasks other definitions do, definitions that are started at an end, and workflows that a message starts. */

const question = (key: string, text: string): JsonObject => ({
  id: key,
  description: key,
  deliverables: [{ key, description: text }],
});

const plan = (id: string, tasks: JsonObject[], more: JsonObject = {}, state: JsonObject = {}) =>
  compile(
    JSON.stringify({
      id,
      title: id,
      states: [{ id, title: id, type: 'strict', tasks, ...state }],
      ...more,
    }),
    { format: 'plan' },
  );

const workflow = (definition: JsonObject) =>
  compile(JSON.stringify(definition), { format: 'asl', options: { dialect: 'agent' } });

const does = (agent: string, more: JsonObject = {}): JsonObject => ({
  id: 'work',
  description: 'Work',
  agent,
  deliverables: [{ key: 'order' }],
  results: { order: 'order.id' },
  ...more,
});
const ask = question('name', 'What is your name?');

/** A graph that ends with an outcome of its own. */
const sale = (more: JsonObject = {}) => {
  const action = (name: string, text: string, exit_conditions: JsonObject[]) => ({
    type: 'action',
    name,
    objective: text,
    actions: [text],
    skip_active_memory_retrieval: true,
    exit_conditions,
  });
  const sold = { description: 'They agree', next_state: '__end__', outcome: 'sold' };
  return compile(
    JSON.stringify({
      new_user_initial_state: 'offer',
      returning_user_initial_state: 'offer',
      terminal_state: 'bye',
      states: [action('offer', 'Offer a lamp', [sold]), action('bye', 'Say goodbye', [])],
      ...more,
    }),
    { format: 'context-graph', options: { profile: 'lenient' } },
  );
};

const inn = (more: JsonObject = {}) =>
  compile(
    JSON.stringify({
      persona: { name: 'Maren', persona_identity_prompt: 'You keep the inn.' },
      machine_key: 'inn',
      states: [{ state_key: 'door', prompt_instruction: 'Offer a bed.', is_initial_state: true }],
      transitions: [{ from_state_key: 'door', to_state_key: '__end__', decision_type: 'pass' }],
      ...more,
    }),
    { format: 'npc' },
  );
const outcome = { results: { order: 'outcome' } };
const onEnd = (outcomes: string[]) => ({
  on_end: { start: 'workflow:booking', input: { how: '{{outcome}}' }, outcomes },
});

const definitions = {
  clinic: plan('clinic', [ask, does('workflow:booking')]),
  asking: plan('asking', [
    does('plan:intake', { deliverables: [{ key: 'day' }], results: {} }),
    ask,
  ]),
  intake: plan('intake', [question('day', 'Which day?')]),
  leading: plan('leading', [ask], {
    on_end: { start: 'workflow:booking', input: { who: '{{name}}' } },
  }),
  chain: plan('chain', [ask], { on_end: { start: 'plan:intake', input: {} } }),
  sale: sale(),
  inn: inn(),
  'by-graph': plan('by-graph', [does('graph:sale', outcome), ask]),
  'by-npc': plan('by-npc', [does('npc:inn', outcome), ask]),
  'leading-graph': sale(onEnd(['sold'])),
  'leading-npc': inn(onEnd(['ACCEPT'])),
  lost: plan('lost', [ask], { on_end: { start: 'plan:nobody' } }),
  booking: workflow({
    StartAt: 'Allow',
    States: {
      Allow: {
        Type: 'Approval',
        Prompt: 'Allow?',
        ResultPath: '$.allowed',
        Next: 'Which',
      },
      Which: {
        Type: 'Choice',
        Choices: [{ Variable: '$.allowed.approval', StringEquals: 'approve', Next: 'Order' }],
        Default: 'No',
      },
      Order: { Type: 'Pass', Result: { id: 'o 1' }, ResultPath: '$.order', End: true },
      No: { Type: 'Fail', Error: 'Refused', Cause: 'There is no room.' },
    },
  }),
};

/** The person agrees with "Yes". */
const choose = ({ message, options }: PortInput<'choose'>) => {
  const agreed = options.find(({ id }) => id === 'E1' || id === 'pass');
  return { option: (message === 'Yes' && agreed ? agreed : options[0]!).id };
};

const ended = (stage: Stage, id: string) =>
  stage.until(async () => (await stage.host.get(id)).ended, `the end of ${id}`);

describe.each(Object.keys(places))('on %s', (kind) => {
  const begin = async () => {
    const said: string[] = [];
    const errors: string[] = [];
    const main: Channel = { deliver: ({ text }) => void said.push(text) };
    const stage = await Stage.open({
      store: places[kind]!(),
      definitions,
      ports: { ...understudyPorts(), choose },
      channels: { main },
      onError: (error) => void errors.push(String(error)),
    });
    const says = async (text: string) => stage.host.receive({ contact: 'ada', text });
    const asked = async () => {
      await stage.until(
        async () => (await stage.host.decisions()).items.length === 1,
        'a question',
      );
      return (await stage.host.decisions()).items[0]!.decision;
    };
    return { stage, said, errors, says, question: asked };
  };
  const greeted = async (definition: string) => {
    const scene = await begin();
    await scene.stage.host.start(definition, { id: 'c', contact: 'ada', channel: 'main' });
    await scene.stage.until(() => scene.said.length === 1, 'a greeting');
    return scene;
  };

  test('a workflow does a task of a plan, also after kills', async () => {
    const { stage, says, question: asked } = await greeted('clinic');
    await says('Ada');
    const decision = await asked();
    await stage.restart();
    const children = (await stage.host.list({ parent: 'c' })).items;
    expect(children).toHaveLength(1);
    expect(await stage.host.get('c')).toMatchObject({ state: 'ACTIVE' });
    await stage.host.decide(decision, { decision: 'approve' });
    await stage.restart();
    await ended(stage, 'c');
    expect((await stage.host.get('c')).output).toMatchObject({
      outcome: 'completed',
      deliverables: { name: 'Ada', order: 'o 1' },
    });
    expect((await stage.host.list({ parent: 'c' })).items).toHaveLength(1);
  });

  test('a workflow that fails asks for a person, and the end of the plan ends the workflow', async () => {
    const { stage, says, question: asked } = await greeted('clinic');
    await says('Ada');
    await stage.host.decide(await asked(), { decision: 'reject' });
    await stage.until(
      async () => (await stage.host.get('c')).state === 'NEEDS_HUMAN_INTERVENTION',
      'a person',
    );
    const help = (await stage.events('c')).find(({ type }) => type === 'help.requested');
    expect(help).toMatchObject({ reason: 'There is no room.' });
    await stage.host.resume('c');
    await stage.host.settle();
    await says('Try again');
    await asked();
    await stage.host.cancel('c');
    const states = async () =>
      (await stage.host.list({ parent: 'c' })).items.map(({ state }) => state);
    await stage.until(
      async () => (await states()).join() === 'FAILED,FAILED',
      'the end of the workflow',
    );
  });

  test('a plan that does a task of a plan gets its contact, and gives it back', async () => {
    const { stage, said, says } = await greeted('asking');
    expect(said).toEqual([expect.stringContaining('Which day?')]);
    const [child] = (await stage.host.get('c')).children;
    await stage.restart();
    expect(await says('Monday')).toMatchObject({ instance: child, accepted: true });
    await stage.until(
      () => said.some((text) => text.includes('your name')),
      'the question of the plan',
    );
    expect(await says('Ada')).toMatchObject({ instance: 'c', accepted: true });
    await ended(stage, 'c');
    expect((await stage.host.get('c')).output).toMatchObject({
      deliverables: { day: 'Monday', name: 'Ada' },
    });
  });

  test.each([
    ['by-graph', 'sold'],
    ['by-npc', 'ACCEPT'],
  ])('a task of a plan is done %s, with its outcome', async (definition, order) => {
    const { stage, said, says } = await greeted(definition);
    await stage.restart();
    await says('Yes');
    await stage.until(() => said.some((text) => text.includes('your name')), 'the question');
    await says('Ada');
    await ended(stage, 'c');
    expect((await stage.host.get('c')).output).toMatchObject({ deliverables: { order } });
  });

  test.each([
    ['leading-graph', 'sold'],
    ['leading-npc', 'ACCEPT'],
  ])('a workflow follows after an outcome: %s', async (definition, how) => {
    const { stage, says, question: asked } = await greeted(definition);
    await says('Yes');
    await ended(stage, 'c');
    await stage.host.decide(await asked(), { decision: 'approve' });
    const [next] = (await stage.host.list()).items.filter(({ id }) => id !== 'c');
    await ended(stage, next!.id);
    expect(await stage.output(next!.id)).toMatchObject({ how, order: { id: 'o 1' } });
  });

  test('what follows a plan is started once, also after a kill', async () => {
    const { stage, says, question: asked } = await greeted('leading');
    await says('Ada');
    await ended(stage, 'c');
    await stage.restart();
    const decision = await asked();
    const all = (await stage.host.list()).items.filter(({ id }) => id !== 'c');
    expect(all).toHaveLength(1);
    await stage.host.decide(decision, { decision: 'approve' });
    await ended(stage, all[0]!.id);
    expect(await stage.output(all[0]!.id)).toMatchObject({ who: 'Ada', order: { id: 'o 1' } });
  });

  test('a plan that follows a plan goes on with the contact', async () => {
    const { stage, said, says } = await greeted('chain');
    await says('Ada');
    await stage.until(() => said.some((text) => text.includes('Which day')), 'the next question');
    expect(await says('Monday')).toMatchObject({ accepted: true });
    await stage.until(
      async () => (await stage.host.list({ contact: 'ada' })).items.every((each) => each.ended),
      'both ends',
    );
  });

  test('a definition that does not exist is reported, and the rest goes on', async () => {
    const { stage, errors, says } = await greeted('lost');
    await says('Ada');
    await ended(stage, 'c');
    await stage.until(() => errors.length > 0, 'a report');
    expect(errors.join()).toContain('nobody');
  });

  test('a message starts a workflow, once', async () => {
    const { stage, question: asked } = await begin();
    const message = {
      contact: 'ada',
      text: 'Book me in',
      id: 'm 1',
      orStart: { definition: 'booking', input: { input: { from: 'web' } } },
    };
    const { instance } = await stage.host.receive(message);
    expect(await stage.host.receive(message)).toMatchObject({ instance, code: 'message/repeated' });
    await stage.restart();
    expect(await stage.host.receive(message)).toMatchObject({ instance, code: 'message/repeated' });
    await stage.host.decide(await asked(), { decision: 'approve' });
    await ended(stage, instance!);
    expect(await stage.host.receive(message)).toMatchObject({ instance, code: 'message/repeated' });
    expect(await stage.output(instance!)).toMatchObject({
      from: 'web',
      message: { text: 'Book me in', id: 'm 1' },
    });
    const next = await stage.host.receive({ ...message, id: 'm 2' });
    expect(next.instance).not.toBe(instance);
  });
});
