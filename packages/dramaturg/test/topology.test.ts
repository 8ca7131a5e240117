import { expect, test } from 'vitest';
import { dramaturg } from './command.ts';

const state = (name: string, exits: object[]) => ({
  type: 'action',
  name,
  objective: 'Talk',
  actions: ['Talk'],
  intra_state_navigation_guidelines: [],
  action_guidelines: [],
  boundary_constraints: [],
  exit_conditions: exits,
});

const graph = (target: string) =>
  JSON.stringify({
    new_user_initial_state: 'hello',
    returning_user_initial_state: 'hello',
    terminal_state: 'bye',
    states: [state('hello', [{ description: 'Done', next_state: target }]), state('bye', [])],
  });

test('prints the map of a context graph', async () => {
  expect(await dramaturg(['topology', '-'], { input: graph('bye') })).toEqual({
    code: 0,
    stdout: `START(new user) -> [A] hello
START(returning user) -> [A] hello

[A] hello
  (Done) -> [A] bye

[A] bye -> END
`,
    stderr: '',
  });
});

test('prints the map of a graph with errors too, and says what they are', async () => {
  const { code, stdout, stderr } = await dramaturg(['topology', '-'], { input: graph('by') });
  expect(code).toBe(1);
  expect(stdout).toContain('  (Done) -> [?] by');
  expect(stderr).toContain('There is no state "by".');
});

test('refuses what is no context graph', async () => {
  const plan = JSON.stringify({ states: [{ id: 'a', tasks: [] }] });
  expect(await dramaturg(['topology', '-'], { input: plan })).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'error: Only a context graph has a topology.\nhint: Draw a diagram of any definition with: dramaturg compile <file> --to mermaid\n',
  });
});

test('tells what is wrong with a text that cannot be read', async () => {
  const { code, stdout, stderr } = await dramaturg(['topology', '-'], { input: '{' });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('read/');
});
