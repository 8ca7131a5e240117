import type { PortInput } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { action, exit, graphOf } from './build.ts';
import { Conversation } from './conversation.ts';

const graph = graphOf(
  action('talk', ['Greet', 'Listen'], [exit('end', 'They are done')]),
  action('end', ['Say goodbye']),
);

async function promptOf(of: typeof graph, says: readonly string[]) {
  const conversation = Conversation.start(of);
  for (const picked of says) await conversation.say('Hello', ['select', picked]);
  const { prompt } = conversation.asked('select') as unknown as PortInput<'choose'>;
  return Object.fromEntries(prompt.map(({ title, text }) => [title, text]));
}

test('where an exit leads is said by the map, or else with the exit', async () => {
  const mapped = await promptOf(graph, ['A1']);
  expect(mapped['Map']).toContain('  (They are done) -> [A] end');
  expect(mapped['The states']).toContain('E1: They are done\n');
  const drawn = await promptOf({ ...graph, topology_description: 'They talk.' }, ['A1']);
  expect(drawn['Map']).toBe('They talk.');
  expect(drawn['The states']).toContain('E1: They are done (to end)\n');
});

test('an action that is taken again and again is one line with its number', async () => {
  const said = ['A1', 'A1', 'A1', 'A2', 'A1', 'A1', 'A2'];
  const { 'What you have done lately': done } = await promptOf(graph, said);
  expect(done).toBe('talk: A1 (3 times)\ntalk: A2\ntalk: A1 (2 times)');
});
