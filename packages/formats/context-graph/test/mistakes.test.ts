import { check, type JsonObject } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import { contextGraph } from '../src/index.ts';
import { action, annotation, decision, exit, graphOf, recall, toolCall } from './build.ts';

/** Each mistake gives one finding, at the location to change. */

const base = graphOf(
  action('talk', ['Talk'], [exit('look'), exit('bye')], { action_tool_call_specs: [] }),
  recall('look', 'note', { queries: ['What is known?'] }),
  annotation('note', 'pick'),
  decision('pick', [exit('fetch'), exit('bye')]),
  toolCall('fetch', 'talk'),
  action('bye', ['Say goodbye']),
);

function diagnosticsOf(definition: unknown) {
  return check(JSON.stringify(definition), {
    formats: [contextGraph],
    format: 'context-graph',
  }).diagnostics.filter(({ severity }) => severity !== 'info');
}

function findings(definition: unknown): string[] {
  return diagnosticsOf(definition).map(
    ({ severity, code, path }) => `${severity} ${code} ${path.join('.')}`,
  );
}

/** A copy in which the part at a path is replaced; `undefined` removes it. */
function changed(definition: object, path: string, part: unknown): object {
  const copy = JSON.parse(JSON.stringify(definition)) as Record<string, unknown>;
  const steps = path.split('.');
  const last = steps.pop()!;
  let at = copy;
  for (const step of steps) at = at[step] as Record<string, unknown>;
  if (part === undefined) delete at[last];
  else at[last] = part;
  return copy;
}

function partAt(definition: object, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], definition);
}

function renamed(definition: object, path: string, name: string): object {
  const to = [...path.split('.').slice(0, -1), name].join('.');
  return changed(changed(definition, path, undefined), to, partAt(definition, path));
}

test('the original has no finding', () => {
  expect(findings(base)).toEqual([]);
});

describe('one mistake is one finding', () => {
  test.each([
    [
      'new_user_initial_state',
      'tlak',
      'error context-graph/unknown-new-user-initial-state new_user_initial_state',
    ],
    ['new_user_initial_state', 'pick', 'error context-graph/not-an-action new_user_initial_state'],
    ['new_user_initial_state', undefined, 'error shape/missing-field '],
    ['terminal_state', 'by', 'error context-graph/unknown-terminal-state terminal_state'],
    ['terminal_state', ['bye'], 'error shape/wrong-type terminal_state'],
    ['states', [], 'error context-graph/no-states states'],
    ['states', 'talk', 'error shape/wrong-type states'],
    ['states.0', null, 'error shape/wrong-type states.0'],
    ['states.0.name', undefined, 'error context-graph/missing-field states.0'],
    ['states.0.name', 7, 'error shape/wrong-type states.0.name'],
    ['states.0.type', 'acton', 'error context-graph/unsupported-type states.0.type'],
    ['states.0.type', 'reflexion', 'error context-graph/unsupported-type states.0.type'],
    ['states.0.type', undefined, 'error context-graph/missing-field states.0'],
    ['states.0.type', 7, 'error shape/wrong-type states.0.type'],
    ['states.0.objective', undefined, 'error context-graph/missing-field states.0'],
    ['states.0.objective', ' ', 'error context-graph/blank-text states.0.objective'],
    ['states.0.actions', [], 'error context-graph/no-actions states.0'],
    ['states.0.actions', 'Talk', 'error shape/wrong-type states.0.actions'],
    ['states.0.actions', [7], 'error shape/wrong-type states.0.actions.0'],
    [
      'states.0.boundary_constraints',
      'none',
      'error shape/wrong-type states.0.boundary_constraints',
    ],
    [
      'states.0.skip_active_memory_retrieval',
      'yes',
      'error shape/wrong-type states.0.skip_active_memory_retrieval',
    ],
    [
      'states.0.exit_conditions.0.next_state',
      'lok',
      'error context-graph/unknown-target states.0.exit_conditions.0.next_state',
    ],
    [
      'states.0.exit_conditions.0.next_state',
      'talk',
      'error context-graph/self-target states.0.exit_conditions.0.next_state',
    ],
    ['states.0.exit_conditions.0', 'look', 'error shape/wrong-type states.0.exit_conditions.0'],
    ['states.0.exit_conditions.0', {}, 'error shape/missing-field states.0.exit_conditions.0'],
    ['states.1.queries', [], 'error context-graph/recall-neither states.1'],
    ['states.1.queries', 'all', 'error shape/wrong-type states.1.queries'],
    ['states.1.next_state', undefined, 'error context-graph/missing-field states.1'],
    ['states.2.next_state', ['x'], 'error context-graph/bad-external-target states.2.next_state'],
    ['states.2.inner_thought', undefined, 'error context-graph/missing-field states.2'],
    ['states.3.exit_conditions', [], 'error context-graph/decision-without-exit states.3'],
    ['states.3.exit_conditions', undefined, 'error context-graph/decision-without-exit states.3'],
    ['states.3.exit_conditions', 'bye', 'error shape/wrong-type states.3.exit_conditions'],
    ['states.4.designated_tool', undefined, 'error context-graph/missing-field states.4'],
    [
      'states.4.designated_tool.result_persistence',
      'persistent',
      'error shape/wrong-value states.4.designated_tool.result_persistence',
    ],
    [
      'states.5.exit_conditions',
      [exit('talk')],
      'error context-graph/terminal-exits states.5.exit_conditions',
    ],
    ['references', [], 'error shape/wrong-type references'],
  ])('"%s": %j', (path, part, finding) => {
    expect(findings(changed(base, path, part))).toEqual([finding]);
  });

  test.each([
    ['states', 'sttaes', 'error shape/misspelt-field sttaes'],
    ['terminal_state', 'terminalstate', 'error shape/misspelt-field terminalstate'],
    [
      'states.0.exit_conditions',
      'exit_condition',
      'error shape/misspelt-field states.0.exit_condition',
    ],
    ['states.0.actions', 'action', 'error shape/misspelt-field states.0.action'],
    ['states.1.next_state', 'nextstate', 'error shape/misspelt-field states.1.nextstate'],
    [
      'states.0.boundary_constraints',
      'boundary_constraint',
      'error shape/unread-field states.0.boundary_constraint',
    ],
    [
      'states.3.exit_conditions',
      'exit_conditons',
      'error shape/misspelt-field states.3.exit_conditons',
    ],
  ])('"%s" written as "%s"', (path, name, finding) => {
    expect(findings(renamed(base, path, name))).toEqual([finding]);
  });
});

test('the missing lists of a state are one finding', () => {
  const { states } = base as unknown as { states: JsonObject[] };
  const { intra_state_navigation_guidelines: _, action_guidelines: __, ...bare } = states[0]!;
  const [finding, ...others] = diagnosticsOf(changed(base, 'states.0', bare));
  expect(others).toEqual([]);
  expect(finding).toMatchObject({
    message: 'This action state has no "intra_state_navigation_guidelines" or "action_guidelines".',
    hint: 'Write "intra_state_navigation_guidelines": [] and "action_guidelines": [] if there are none, or compile with the option profile=lenient.',
  });
});

test('a state of an unknown type is not treated as another type', () => {
  const [finding, ...others] = diagnosticsOf(changed(base, 'states.0.type', 'reflexion'));
  expect(others).toEqual([]);
  expect(finding).toMatchObject({ hint: 'Did you mean "reflection"?' });
});

test('a silent cycle is one finding that names its states', () => {
  const graph = graphOf(
    action('talk', ['Talk'], [exit('one'), exit('bye')]),
    annotation('one', 'two'),
    annotation('two', 'three'),
    annotation('three', 'one'),
    action('bye', ['Say goodbye']),
  );
  const [finding, ...others] = diagnosticsOf(graph);
  expect(others).toEqual([]);
  expect(finding).toMatchObject({
    code: 'context-graph/unconditional-cycle',
    path: ['states', 1],
    message:
      'The states "one", "two" and "three" lead to each other endlessly: none of them speaks to the person or decides.',
    related: [{ path: ['states', 2] }, { path: ['states', 3] }],
  });
});

test('an unknown state name is one finding with all of its locations', () => {
  const [finding, ...others] = diagnosticsOf(changed(base, 'states.5.name', 'by'));
  expect(others).toEqual([]);
  expect(finding).toMatchObject({
    code: 'context-graph/unknown-terminal-state',
    hint: 'Did you mean "by"?',
    related: [
      { path: ['states', 0, 'exit_conditions', 1, 'next_state'] },
      { path: ['states', 3, 'exit_conditions', 1, 'next_state'] },
    ],
  });
});
