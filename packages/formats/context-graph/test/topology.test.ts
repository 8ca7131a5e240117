import { compile } from '@dramaturg/compiler';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contextGraph, type Graph, parseTopology, renderTopology } from '../src/index.ts';
import { Conversation } from './conversation.ts';
import { action, exit, graphOf } from './build.ts';
import { all, child, parent } from './graphs.ts';

function graphFrom(definition: object, options = {}): Graph {
  const { definition: graph } = compile(JSON.stringify(definition), {
    formats: [contextGraph],
    format: 'context-graph',
    options,
  });
  return graph as Graph;
}

const withIntake = { graphs: { intake: child } };

test('a topology lists its starts, then a block for each state in the order of the definition', () => {
  expect(renderTopology(graphFrom(parent(), withIntake))).toBe(`START(new user) -> [A] open_desk
START(returning user) -> [A] open_desk

[A] open_desk
  (Wants a slot) -> [A] intake.ask_name then [A] pick_slot
  (Go to answer_question) -> [A] answer_question

[A] pick_slot
  (Agreed) -> [A] close_desk
  (Wrong person) -> [A] intake.ask_name then [A] pick_slot

[A] answer_question
  (Go to close_desk) -> [A] close_desk

[A] close_desk -> END
`);
});

test('a state with one exit is one line', () => {
  const lines = renderTopology(graphFrom(all)).split('\n');
  expect(lines.filter((line) => /^\[[CNRT]\]/.test(line))).toEqual([
    '[C] recall_user_history -> [R] analyze_symptoms',
    '[N] set_urgency_context -> [D] route_issue',
    '[R] analyze_symptoms -> [D] route_issue',
    '[T] lookup_user_account -> [A] account_support',
  ]);
});

test('labels may be shortened', () => {
  const graph = graphFrom(
    graphOf(action('a', ['Talk'], [exit('b', 'A  long\nlabel')]), action('b', ['End'])),
  );
  expect(renderTopology(graph)).toContain('  (A long label) -> [A] b');
  expect(renderTopology(graph, { conditionLabel: () => 'short' })).toContain('  (short) -> [A] b');
});

test('a rendered topology can be parsed, whatever its labels contain', () => {
  const label = fc.string({ minLength: 1 }).filter((text) => text.trim() !== '');
  fc.assert(
    fc.property(
      fc.array(fc.oneof(label, fc.constantFrom(') -> [A] b', '(a) -> [', '...')), {
        minLength: 1,
        maxLength: 5,
      }),
      (labels) => {
        const graph = graphFrom(
          graphOf(
            action(
              'a',
              ['Talk'],
              labels.map((text) => exit('b', text)),
            ),
            action('b', ['End']),
          ),
        );
        const { newUser, returningUser, states } = parseTopology(renderTopology(graph));
        const start = { letter: 'A', name: 'a' };
        expect([newUser, returningUser]).toEqual([start, start]);
        expect(states).toEqual([
          {
            ...start,
            isTerminal: false,
            exits: labels.map((text) => ({
              condition: text.replace(/\s+/g, ' ').trim(),
              target: { letter: 'A', name: 'b' },
            })),
          },
          { letter: 'A', name: 'b', isTerminal: true, exits: [] },
        ]);
      },
    ),
  );
});

test('parsed calls include their jumpbacks', () => {
  const [first] = parseTopology(renderTopology(graphFrom(parent(), withIntake))).states;
  expect(first?.exits[0]).toEqual({
    condition: 'Wants a slot',
    target: { letter: 'A', name: 'intake.ask_name', jumpback: { letter: 'A', name: 'pick_slot' } },
  });
});

test.each([
  '',
  'START(new user) -> [A] a',
  'START(new user) -> [A] a\nSTART(returning user) -> a',
  'x',
])('what is no topology is refused with its line: %j', (text) => {
  expect(() => parseTopology(text)).toThrow(/^Line \d of the topology cannot be read/);
});

test('an elision is not valid syntax', () => {
  const text = 'START(new user) -> [A] a\nSTART(returning user) -> [A] a\n\n[A] a\n  ...\n';
  expect(() => parseTopology(text)).toThrow('Line 5 of the topology cannot be read:   ...');
});

test('decisions, reflections and selections of an action receive the map', async () => {
  const conversation = Conversation.start(all);
  await conversation.say(
    'x',
    ['select', 'E1'],
    ['reflect', 'Hm.'],
    ['decide', 'E2'],
    ['select', 'A1'],
  );
  const map = { title: 'Map', text: renderTopology(graphFrom(all)).trimEnd(), constant: true };
  for (const what of ['select', 'reflect', 'decide'])
    expect(conversation.asked(what)['prompt']).toContainEqual(map);
  expect(conversation.asked('engage')['prompt']).not.toContainEqual(map);
});

test('an authored map replaces the generated one, and the map of a referenced graph is added', async () => {
  const drawn = { ...parent(), topology_description: 'First the desk, then the slot.' };
  const conversation = Conversation.start(drawn, withIntake);
  await conversation.say('x', ['select', 'A1']);
  expect(conversation.asked('select')['prompt']).toEqual(
    expect.arrayContaining([
      { title: 'Map', text: 'First the desk, then the slot.', constant: true },
      {
        title: 'Map of the graph "intake"',
        text: renderTopology(graphFrom(child)).trimEnd(),
        constant: true,
      },
    ]),
  );
});
