import { manualClock } from '@dramaturg/host';
import { describe, expect, onTestFinished, test } from 'vitest';
import { compile, createHost, understudyPorts } from '../../src/index.ts';
import { places } from './stage.ts';

/** A plan that hands over to a person. Spec: docs/formats/plan.md#other-targets */

const definition = compile(
  JSON.stringify({
    id: 'clinic',
    title: 'Clinic',
    deliverables: [{ key: 'emergency', type: 'boolean', description: 'Is this an emergency?' }],
    transitions: [
      {
        target_state_id: '__human__',
        reason: 'an emergency',
        condition_type: 'deliverable_value',
        condition_config: { deliverable_key: 'emergency', expected_value: true },
      },
    ],
    states: [
      {
        id: 'patient',
        title: 'Patient',
        tasks: [{ id: 'name', description: 'Name', deliverables: [{ key: 'name' }] }],
      },
    ],
  }),
  { fileName: 'clinic.plan.json' },
);

const leads = (target_state_id: string, expected_value: boolean) => ({
  target_state_id,
  condition_type: 'deliverable_value',
  condition_config: { deliverable_key: 'right', expected_value },
});

async function hosted(store: string, clinic = definition) {
  const sent: string[] = [];
  const understudy = understudyPorts();
  const host = await createHost({
    store: places[store]!(),
    clock: manualClock({ startAt: 1_800_000_000_000 }),
    definitions: { clinic },
    ports: {
      ...understudy,
      extract: (input, call) =>
        input.message === 'Help!'
          ? { value: { deliverables: { emergency: true } } }
          : understudy.extract(input, call),
    },
    channels: { main: { deliver: ({ text }) => void sent.push(text) } },
    onError: () => {},
  });
  onTestFinished(() => host.stop({ within: 0 }));
  await host.start('clinic', { id: 'a', contact: 'ada' });
  await host.settle();
  return { host, sent };
}

describe.each(Object.keys(places))('over the store %s', (store) => {
  test('a person is asked, the contact is told, and the plan goes on when the person is done', async () => {
    const { host, sent } = await hosted(store);
    await host.receive({ contact: 'ada', text: 'Help!' });
    await host.settle();
    expect(await host.get('a')).toMatchObject({ state: 'NEEDS_HUMAN_INTERVENTION' });
    expect(sent.at(-1)).toBe('A colleague takes over.');
    const asked = sent[0];
    await host.resume('a');
    await host.settle();
    expect(sent.slice(2)).toEqual([asked]);
    await host.receive({ contact: 'ada', text: 'My name is Ada' });
    await host.settle();
    expect(await host.get('a')).toMatchObject({ state: 'COMPLETED' });
  });

  test('an answer that has led to a person is asked for again', async () => {
    const check = {
      id: 'check',
      tasks: [
        { id: 'ask', deliverables: [{ key: 'right', type: 'boolean', description: 'Right?' }] },
      ],
      transitions: [leads('__human__', false), leads('__end__', true)],
    };
    const plan = compile(JSON.stringify({ title: 'Order', states: [check] }), { format: 'plan' });
    const { host, sent } = await hosted(store, plan);
    const say = async (text: string) => {
      await host.receive({ contact: 'ada', text });
      await host.settle();
      return sent.at(-1);
    };
    const question = sent[0];
    for (const answer of ['No', 'No, not yet']) {
      expect(await say(answer)).toBe('A colleague takes over.');
      await host.resume('a');
      await host.settle();
      expect(sent.at(-1)).toBe(question);
    }
    await say('Yes');
    expect(await host.get('a')).toMatchObject({ state: 'COMPLETED' });
  });

  test('an update that hands over outside of a turn asks for a person at once', async () => {
    const { host, sent } = await hosted(store);
    await host.send('a', { type: 'plan.update', deliverables: { emergency: true } });
    expect(await host.get('a')).toMatchObject({ state: 'NEEDS_HUMAN_INTERVENTION' });
    expect((await host.get('a')).lifecycle).toMatchObject({ intervention_reason: 'an emergency' });
    await host.resume('a');
    await host.receive({ contact: 'ada', text: 'Who are you?' });
    await host.settle();
    expect(sent.at(-1)).not.toContain('A colleague takes over');
    expect(await host.get('a')).toMatchObject({ state: 'WAITING_FOR_REPLY' });
  });

  test('an update that hands over while the instance is paused is heard after the pause', async () => {
    const { host } = await hosted(store);
    await host.pause('a');
    await host.send('a', { type: 'plan.update', deliverables: { emergency: true } });
    expect(await host.get('a')).toMatchObject({ state: 'PAUSED' });
    await host.resume('a');
    await host.receive({ contact: 'ada', text: 'What now?' });
    await host.settle();
    expect(await host.get('a')).toMatchObject({ state: 'NEEDS_HUMAN_INTERVENTION' });
  });
});

const shelter = {
  persona: { name: 'Maren', persona_identity_prompt: 'You keep the light.' },
  machine_key: 'shelter',
  states: [
    {
      state_key: 'door',
      prompt_instruction: 'Ask who is there.',
      is_initial_state: true,
      evaluation_criteria: { pass: 'They say who they are.', reject: 'Somebody is in danger.' },
    },
  ],
  transitions: [
    { from_state_key: 'door', to_state_key: '__end__', decision_type: 'pass' },
    { from_state_key: 'door', to_state_key: '__restart__', decision_type: 'redirect' },
    {
      from_state_key: 'door',
      to_state_key: '__human__',
      decision_type: 'reject',
      reason: 'an emergency',
    },
  ],
};

const action = (name: string, does: string, exit_conditions: readonly object[] = []) => ({
  type: 'action',
  name,
  objective: does,
  actions: [does],
  skip_active_memory_retrieval: true,
  exit_conditions,
});

const desk = {
  new_user_initial_state: 'door',
  returning_user_initial_state: 'door',
  terminal_state: 'bye',
  states: [
    action('door', 'Ask who is there', [
      { description: 'They say who they are', next_state: '__end__', outcome: 'known' },
      { description: 'Somebody is in danger', next_state: '__human__', reason: 'an emergency' },
      { description: 'They want to begin again', next_state: '__restart__' },
    ]),
    action('bye', 'Say goodbye'),
  ],
};

describe.each([
  ['an NPC', shelter, 'npc', 'reject', 'pass', 'redirect'],
  ['a context graph', desk, 'context-graph', 'E2', 'E1', 'E3'],
] as const)('%s', (_, written, format, danger, known, again) => {
  const other = compile(JSON.stringify(written), {
    format,
    ...(format === 'context-graph' && { options: { profile: 'lenient' } }),
  });

  test.each(Object.keys(places))(
    'asks for a person over the store %s, and goes on',
    async (store) => {
      const sent: string[] = [];
      const understudy = understudyPorts();
      const answers: Readonly<Record<string, string>> = {
        'Help!': danger,
        'I am Ada': known,
        'Once more': again,
      };
      const host = await createHost({
        store: places[store]!(),
        clock: manualClock({ startAt: 1_800_000_000_000 }),
        definitions: { other },
        ports: {
          ...understudy,
          choose: ({ message = '', options: [first] }) => ({
            option: answers[message] ?? first!.id,
          }),
        },
        channels: { main: { deliver: ({ text }) => void sent.push(text) } },
        onError: () => {},
      });
      onTestFinished(() => host.stop({ within: 0 }));
      await host.start('other', { id: 'a', contact: 'ada' });
      await host.settle();
      await host.receive({ contact: 'ada', text: 'Once more' });
      await host.settle();
      expect(await host.get('a')).toMatchObject({ state: 'WAITING_FOR_REPLY' });
      expect(sent).toHaveLength(2);
      await host.receive({ contact: 'ada', text: 'Help!' });
      await host.settle();
      expect(await host.get('a')).toMatchObject({ state: 'NEEDS_HUMAN_INTERVENTION' });
      expect((await host.get('a')).lifecycle).toMatchObject({
        intervention_reason: 'an emergency',
      });
      expect(sent.at(-1)).toBe('A colleague takes over.');
      await host.resume('a');
      await host.settle();
      expect(sent.slice(3)).toEqual([expect.stringMatching(/Who is there\?$/)]);
      await host.receive({ contact: 'ada', text: 'I am Ada' });
      await host.settle();
      expect(await host.get('a')).toMatchObject({ state: 'COMPLETED' });
    },
  );
});
