import { check, type JsonObject } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import { contextGraph } from '../src/index.ts';
import {
  action,
  annotation,
  decision,
  exit,
  graphOf,
  recall,
  reflection,
  toolCall,
} from './build.ts';
import { all, allStates, child, it, loop, parent } from './graphs.ts';

/** The validation cases of the specification, by id. */

/** The errors and warnings of a graph, as `code at path`. */
function findings(definition: unknown, options: JsonObject = {}): string[] {
  const { diagnostics } = check(JSON.stringify(definition), {
    formats: [contextGraph],
    format: 'context-graph',
    options,
  });
  return diagnostics
    .filter(({ severity }) => severity !== 'info')
    .map(({ code, severity, path }) => `${severity} ${code.split('/')[1]} ${path.join('.')}`.trim())
    .toSorted();
}

const withIntake = { graphs: { intake: child } };

/** A graph with replaced fields of one state. */
function changed(graph: JsonObject, index: number, fields: JsonObject): JsonObject {
  const states = graph['states'] as readonly JsonObject[];
  return {
    ...graph,
    states: states.map((state, at) => (at === index ? { ...state, ...fields } : state)),
  };
}

describe('where states lead', () => {
  test('V01: an unknown target', () => {
    expect(findings(changed(it, 0, { exit_conditions: [exit('nowhere')] }))).toEqual([
      'error unknown-target states.0.exit_conditions.0.next_state',
    ]);
  });

  test('V02: a state that leads to itself', () => {
    expect(findings(changed(it, 0, { exit_conditions: [exit('greeting')] }))).toEqual([
      'error self-target states.0.exit_conditions.0.next_state',
    ]);
  });

  test('a state that is passed at once does not get the advice for one that waits', () => {
    const graph = graphOf(action('ask', ['Ask'], [exit('weigh')]), reflection('weigh', 'weigh'));
    const hints = check(JSON.stringify(graph), { formats: [contextGraph] }).diagnostics.flatMap(
      ({ code, hint }) => (code === 'context-graph/self-target' ? [String(hint)] : []),
    );
    expect(hints).toEqual([
      'Name another state: one of the type "reflection" is passed at once, so it would repeat without an end.',
    ]);
  });

  test('V06: an unknown reference', () => {
    expect(findings({ ...parent(), references: {} }, withIntake)).toEqual([
      'error unknown-reference states.0.exit_conditions.0.next_state.0',
    ]);
  });

  test('V07: an unknown state of a referenced graph', () => {
    expect(findings(parent('intake.nope > pick_slot'), withIntake)).toEqual([
      'error unknown-external-state states.0.exit_conditions.0.next_state.0',
    ]);
  });

  test('V08: an unknown jumpback', () => {
    expect(findings(parent('intake.ask_name > nope'), withIntake)).toEqual([
      'error unknown-jumpback states.0.exit_conditions.0.next_state.1',
    ]);
  });

  test('V09, V10: a cycle that nothing ends, and one that a decision can end', () => {
    const { states } = loop;
    const withNotes = {
      ...changed(loop, 0, { exit_conditions: [exit('think'), exit('a1')] }),
    };
    const circles = {
      ...withNotes,
      states: [
        ...(withNotes['states'] as JsonObject[]),
        annotation('a1', 'a2'),
        annotation('a2', 'a1'),
      ],
    };
    expect(findings(circles)).toEqual([
      'error unconditional-cycle states.4',
      'warning internal-cycle states.2',
    ]);
    expect(findings({ ...loop, states })).toEqual(['warning internal-cycle states.2']);
  });

  test('V13: a decision without exits', () => {
    expect(findings(changed(loop, 2, { exit_conditions: [] }))).toEqual([
      'error decision-without-exit states.2',
    ]);
  });

  test('V14: an action state without a way out', () => {
    expect(findings(changed(it, 1, { exit_conditions: [] }))).toEqual([
      'warning dead-end states.1',
      'warning unreachable states.2',
    ]);
  });

  test('V19: a state of another graph without a jumpback', () => {
    expect(findings(parent('intake.ask_name'), withIntake)).toEqual([
      'error unknown-target states.0.exit_conditions.0.next_state',
    ]);
  });

  test.each([
    [['intake.ask_name']],
    [['intake', 'pick_slot']],
    [['a.b.c', 'pick_slot']],
    [[1, 2]],
    [[]],
  ])('a pair that is none: %j', (pair) => {
    const graph = changed(parent(), 0, {
      exit_conditions: [{ description: 'd', next_state: pair as never }, exit('pick_slot')],
    });
    expect(findings(graph, withIntake)).toContain(
      'error bad-external-target states.0.exit_conditions.0.next_state',
    );
  });
});

describe('where conversations begin and end', () => {
  test('V03: a terminal state with two actions', () => {
    expect(findings(changed(it, 2, { actions: ['a', 'b'] }))).toEqual([
      'error terminal-actions states.2.actions',
    ]);
  });

  test('V04: a terminal state that leads on', () => {
    expect(findings(changed(it, 2, { exit_conditions: [exit('greeting')] }))).toEqual([
      'error terminal-exits states.2.exit_conditions',
    ]);
  });

  test('V05: a conversation that begins with a decision', () => {
    expect(findings({ ...all, new_user_initial_state: 'route_issue' })).toEqual([
      'error not-an-action new_user_initial_state',
    ]);
  });

  test('V18: an invalid name and the references to it', () => {
    const { new_user_initial_state: first } = it;
    expect(first).toBe('greeting');
    expect(findings(changed(it, 0, { name: 'say hello' }))).toEqual([
      'error bad-name states.0.name',
      'error unknown-new-user-initial-state new_user_initial_state',
    ]);
  });

  test('a terminal state that does not exist', () => {
    expect(findings({ ...it, terminal_state: 'wrapup' })).toEqual([
      'error unknown-terminal-state terminal_state',
    ]);
  });

  test('a conversation that begins where it ends', () => {
    expect(findings(graphOf(action('only', ['Chat'])))).toEqual([
      'warning initial-is-terminal terminal_state',
    ]);
  });
});

describe('states', () => {
  const worded = { queries: ['q'], requested_information: 'i' };

  test('V11: a recall with queries and requested information, which is an error in the profile "strict"', () => {
    const graph = graphOf(...allStates({ queries: worded }));
    expect(findings(graph)).toEqual(['warning recall-both states.1']);
    expect(findings(graph, { profile: 'strict' })).toEqual(['error recall-both states.1']);
  });

  test('V12: a recall of nothing', () => {
    const nothing = graphOf(...allStates({ queries: { queries: [] } }));
    expect(findings(nothing)).toEqual(['error recall-neither states.1']);
  });

  test('V15: two states with the same name', () => {
    const twice = graphOf(
      action('a', ['Talk'], [exit('b')]),
      action('a', ['Talk'], [exit('b')]),
      action('b', ['End']),
    );
    expect(findings(twice)).toEqual(['error duplicate-state states.1.name']);
  });

  test('V16: a state whose name differs from its key', () => {
    const keyed = Object.fromEntries(
      (it['states'] as readonly JsonObject[]).map((state) => [
        state['name'] as string,
        state['name'] === 'diagnose' ? { ...state, name: 'diagnosis' } : state,
      ]),
    );
    expect(findings({ ...it, states: keyed })).toEqual([
      'error name-mismatch states.diagnose.name',
    ]);
  });

  test('V17: a designated tool whose result may be lost, which is an error in the profile "strict"', () => {
    const states = allStates().map((state) =>
      state['type'] === 'tool-call'
        ? toolCall('lookup_user_account', 'account_support', 'persisted-preferred')
        : state,
    );
    expect(findings(graphOf(...states))).toEqual([
      'warning tool-persistence states.5.designated_tool',
    ]);
    expect(findings(graphOf(...states), { profile: 'strict' })).toEqual([
      'error tool-persistence states.5.designated_tool',
    ]);
  });

  test('an action state has all fields that the seed requires, unless the profile is "lenient"', () => {
    const { boundary_constraints: _, ...without } = action('a', ['Talk'], [exit('b')]);
    const graph = { ...graphOf(without, action('b', ['End'])), new_user_initial_state: 'a' };
    expect(findings(graph)).toEqual(['error missing-field states.0']);
    expect(findings(graph, { profile: 'lenient' })).toEqual([]);
  });

  test('an unknown type, and a blank text', () => {
    const graph = graphOf(
      action('a', ['Talk', ' '], [exit('b')]),
      { ...action('b', ['Ask'], [exit('c')]), type: 'data_collection' },
      action('c', ['End']),
    );
    expect(findings(graph)).toEqual([
      'error blank-text states.0.actions.1',
      'error unsupported-type states.1.type',
    ]);
  });

  test('reserved names work as names, or are refused as names', () => {
    const odd = (name: string) =>
      findings(graphOf(action(name, ['Talk'], [exit('end')]), action('end', ['End'])));
    expect(['constructor', '__proto__', '007', 'toString'].map(odd)).toEqual([[], [], [], []]);
    expect(['a.b', '#a', '', 'a b', 'é'].map((name) => odd(name)[0])).toEqual([
      'error bad-name states.0.name',
      'error bad-name states.0.name',
      'error blank-text new_user_initial_state',
      'error bad-name states.0.name',
      'error bad-name states.0.name',
    ]);
    expect(findings({ ...it, new_user_initial_state: ' ' })).toEqual([
      'error blank-text new_user_initial_state',
    ]);
  });
});

describe('referenced graphs', () => {
  test('a graph that is called but not provided', () => {
    expect(findings(parent())).toEqual(['error reference-not-given references.intake']);
  });

  test('a graph is provided by id and version, by id, or by the name of the reference', () => {
    const id = 'aaaaaaaaaaaaaaaaaaaaaaaa';
    expect(findings(parent(), { graphs: { [`${id}@1`]: child } })).toEqual([]);
    expect(findings(parent(), { graphs: { [id]: child } })).toEqual([]);
    expect(findings(parent(), { graphs: { [`${id}@2`]: child, intake: child } })).toEqual([
      'error reference-not-given references.intake',
    ]);
  });

  test('a graph that calls one of its callers', () => {
    const one = { ...child, references: { other: ['bbbbbbbbbbbbbbbbbbbbbbbb', 1] } };
    const graphs = {
      intake: one,
      other: { ...child, references: { intake: ['aaaaaaaaaaaaaaaaaaaaaaaa', 1] } },
    };
    expect(findings(parent(), { graphs })).toEqual(['error reference-cycle references.intake']);
  });

  test('a graph with errors of its own', () => {
    const broken = changed(child, 0, { exit_conditions: [exit('nowhere')] });
    const { diagnostics } = check(JSON.stringify(parent()), {
      formats: [contextGraph],
      options: { graphs: { intake: broken } },
    });
    expect(diagnostics.map(({ code, message }) => [code, message])).toContainEqual([
      'context-graph/broken-reference',
      'The graph "intake" has an error: There is no state "nowhere".',
    ]);
  });

  test('references that multiply without bound are refused before lowering', () => {
    const level = (next: string | undefined): JsonObject => ({
      ...graphOf(
        action(
          'a',
          ['Talk'],
          next
            ? [exit(`${next}.a > b`), exit(`${next}.a > c`), exit(`${next}.a > end`)]
            : [exit('b')],
        ),
        action('b', ['Talk'], [exit('c')]),
        action('c', ['Talk'], [exit('end')]),
        action('end', ['End']),
      ),
      references: next ? { [next]: ['aaaaaaaaaaaaaaaaaaaaaaaa', 1] } : {},
    });
    const graphs = Object.fromEntries(
      Array.from({ length: 14 }, (_, index) => [
        `g${index}`,
        level(index < 13 ? `g${index + 1}` : undefined),
      ]),
    );
    expect(findings(level('g0'), { graphs })).toEqual(['error too-large references']);
  });
});

test('a decision whose single exit leads on is not a cycle', () => {
  const graph = graphOf(
    action('a', ['Talk', 'Ask'], [exit('d'), exit('end')]),
    decision('d', [exit('r')]),
    reflection('r', 'm'),
    recall('m', 'a', { queries: ['q'] }),
    action('end', ['End']),
  );
  expect(findings(graph)).toEqual([]);
});
