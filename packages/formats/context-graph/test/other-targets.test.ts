import { check, type JsonObject } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { contextGraph } from '../src/index.ts';
import { action, annotation, decision, exit, graphOf } from './build.ts';
import { Conversation } from './conversation.ts';

/** Targets that are not states. Spec: docs/formats/context-graph.md#other-targets */

const other = (target: string, more: JsonObject = {}): JsonObject => ({ ...exit(target), ...more });
const desk = (...exits: JsonObject[]) =>
  graphOf(
    action('door', ['Ask who is there'], [exit('room'), ...exits]),
    action('room', ['Show the room'], [exit('bye'), ...exits]),
    action('bye', ['Say goodbye']),
  );
const withHelp = desk(other('__human__', { reason: 'danger' }));

const directionOf = (conversation: Conversation) => conversation.asked('engage')['directions'];
const handedOver = [{ text: 'Tell them that a colleague takes over.' }];
const requests = (conversation: Conversation) =>
  conversation.emitted.filter(({ type }) => type === 'help.requested');

test('a hand-over asks for a person, tells them, and stays in the state', async () => {
  const conversation = Conversation.start(withHelp);
  const { trace } = await conversation.say('My son cannot breathe', ['select', 'E2']);
  expect(requests(conversation)).toEqual([
    { type: 'help.requested', reason: 'danger', state: 'door' },
  ]);
  expect(directionOf(conversation)).toEqual(handedOver);
  expect([trace, conversation.context.state]).toEqual(['[A] door !__human__', 'door']);
  const next = await conversation.say('Ada', ['select', 'E1'], ['select', 'A1']);
  expect(next.trace).toBe('[A] door -> [A] room !A1');
  // The model knows that a person was there.
  const prompt = JSON.stringify(conversation.asked('select')['prompt']);
  expect(prompt).toContain('door: a person has taken over');
});

test('a decision and a hidden state on the way may hand over', async () => {
  const graph = graphOf(
    action('door', ['Ask'], [exit('route'), exit('bye')]),
    decision('route', [other('__human__'), exit('note')]),
    annotation('note', '__human__'),
    action('bye', ['Part']),
  );
  for (const option of ['E1', 'E2']) {
    const conversation = Conversation.start(graph);
    await conversation.say('Help', ['select', 'E1'], ['decide', option]);
    expect(requests(conversation)).toEqual([{ type: 'help.requested', state: 'door' }]);
    expect([directionOf(conversation), conversation.context.state]).toEqual([handedOver, 'door']);
  }
});

test('a bare yes to an earlier question hands nothing over', async () => {
  const conversation = Conversation.start(withHelp);
  await conversation.say('Ada', ['select', 'E1'], ['select', 'A1']);
  expect(requests(conversation)).toEqual([]);
});

test.each([
  [{ outcome: 'refused' }, 'refused'],
  [{}, 'completed'],
])('an end with %j says goodbye, and has the outcome %s', async (fields, outcome) => {
  const onEnd = { start: 'workflow:report', input: { how: '{{outcome}}' }, outcomes: [outcome] };
  const conversation = Conversation.start({ ...desk(other('__end__', fields)), on_end: onEnd });
  await conversation.say('No, thanks', ['select', 'E2']);
  expect(conversation.isOver).toBe(true);
  expect(conversation.asked('engage')).toMatchObject({
    directions: [{ text: 'Say goodbye: the conversation ends here.' }],
    ends: true,
  });
  expect(conversation.emitted.slice(-2)).toMatchObject([
    { type: 'start.requested', input: { how: outcome } },
    { type: 'conversation.ended', outcome, state: 'door' },
  ]);
});

test('a restart enters the first state, with nothing known', async () => {
  const conversation = Conversation.start(desk(other('__restart__')));
  for (let round = 0; round < 2; round += 1) {
    await conversation.say('Ada', ['select', 'E1'], ['select', 'A1']);
    const { trace } = await conversation.say('From the beginning, please', ['select', 'E2']);
    expect(trace).toBe('[A] room -> [A] door !A1');
    const { selected } = conversation.context.knowledge;
    expect(selected).toEqual([{ state: 'door', action: 'A1' }]);
  }
});

test('a returning person begins again in the state of returning people', async () => {
  const graph = { ...desk(other('__restart__')), returning_user_initial_state: 'room' };
  const conversation = Conversation.start(graph, {}, { returning: true });
  const { trace } = await conversation.say('Again', ['select', 'E2']);
  expect(trace).toBe('[A] room -> [A] room !A1');
});

test('a referenced graph hands over in its own state, and ends and begins the whole conversation', async () => {
  const id = '0123456789abcdef01234567';
  const intake = graphOf(
    action(
      'ask',
      ['Ask'],
      [exit('done'), other('__human__'), other('__end__'), other('__restart__')],
    ),
    action('done', ['Part']),
  );
  const main = {
    ...graphOf(action('door', ['Greet'], [exit('intake.ask > bye')]), action('bye', ['Part'])),
    references: { intake: [id, 1] },
  } as JsonObject;
  const begin = async () => {
    const conversation = Conversation.start(main, { graphs: { intake } });
    await conversation.say('Hello', ['select', 'E1'], ['select', 'A1']);
    return conversation;
  };
  const helped = await begin();
  await helped.say('Help', ['select', 'E2']);
  expect(requests(helped)).toEqual([{ type: 'help.requested', state: 'intake.ask' }]);
  const ended = await begin();
  await ended.say('Stop', ['select', 'E3']);
  expect(ended.isOver).toBe(true);
  const again = await begin();
  expect((await again.say('Again', ['select', 'E4'])).trace).toContain('-> [A] door !A1');
});

const found = (definition: JsonObject) =>
  check(JSON.stringify(definition), {
    formats: [contextGraph],
    format: 'context-graph',
  }).diagnostics.flatMap(({ code, path, severity }) =>
    severity === 'error' || severity === 'warning' ? [`${code} ${path?.join('.') ?? ''}`] : [],
  );

test('an exit to the end is a way to stop', () => {
  const last = [exit('bye'), other('__end__'), other('__human__'), other('__restart__')];
  expect(found(graphOf(action('a', ['Ask'], last), action('bye', ['Part'])))).toEqual([]);
});

test.each<[string, JsonObject, string]>([
  [
    'a misspelt target',
    other('__humans__'),
    'context-graph/unknown-target states.0.exit_conditions.1.next_state',
  ],
  [
    'a reason of another target',
    other('bye', { reason: 'x' }),
    'context-graph/field-of-another-target states.0.exit_conditions.1.reason',
  ],
  [
    'an outcome of another target',
    other('__human__', { outcome: 'x' }),
    'context-graph/field-of-another-target states.0.exit_conditions.1.outcome',
  ],
  [
    'an outcome that is no text',
    other('__end__', { outcome: 1 }),
    'shape/wrong-type states.0.exit_conditions.1.outcome',
  ],
  [
    'such a target in a pair',
    { ...exit('__human__ > bye'), next_state: ['__human__', 'bye'] },
    'context-graph/bad-external-target states.0.exit_conditions.1.next_state',
  ],
])('check finds %s, once', (_, wrong, finding) => {
  const definition = graphOf(
    action('door', ['Ask'], [exit('bye'), wrong]),
    action('bye', ['Part']),
  );
  expect(found(definition).filter((each) => each === finding)).toHaveLength(1);
});

test('check finds a state with the name of such a target', () => {
  const graph = graphOf(action('__human__', ['Ask'], [exit('bye')]), action('bye', ['Part']));
  expect(found(graph)).toContain('context-graph/bad-name states.0.name');
});

test('check finds a start after an outcome that the graph does not have', () => {
  const graph = {
    ...desk(other('__end__', { outcome: 'refused' })),
    on_end: { start: 'x', outcomes: ['refuse'] },
  };
  expect(found(graph)).toContain('context-graph/unknown-start-outcome on_end.outcomes.0');
});
