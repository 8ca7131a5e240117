import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { printed } from '../src/print.ts';
import { runFolder } from '../src/run.ts';

/** The corpus is in a folder next to the project. */
const corpus = join(import.meta.dirname, '../../../../shared/corpus/context-graph');
const isThere = existsSync(join(corpus, 'cases.json'));

describe.skipIf(!isThere)('the corpus of context graphs', () => {
  test('passes in every area', async () => {
    const report = await runFolder(corpus);
    expect(report.failures).toEqual([]);
    expect(Object.keys(report.areas)).toEqual([
      'behaviour',
      'validation',
      'topology',
      'persistence',
    ]);
    console.log(printed(report));
  });
});

test(`the corpus of context graphs ${isThere ? 'exists' : 'is missing: its tests are skipped'}`, () => {
  expect(existsSync(join(corpus, 'cases.json'))).toBe(isThere);
});

const graph = {
  description: 'Two states.',
  new_user_initial_state: 'hello',
  returning_user_initial_state: 'hello',
  terminal_state: 'bye',
  states: ['hello', 'bye'].map((name) => ({
    type: 'action',
    name,
    objective: 'Talk',
    actions: ['Talk'],
    intra_state_navigation_guidelines: [],
    action_guidelines: [],
    boundary_constraints: [],
    exit_conditions: name === 'hello' ? [{ description: 'Done', next_state: 'bye' }] : [],
  })),
};

const turn = { user: 'so', answers: [['select', 'E1']], trace: '[A] hello -> [A] bye !A1' };

/** A folder with one case of behaviour and one of validation. */
async function reportOf(behaviour: object, validation: object, only?: string) {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  try {
    const cases = {
      behaviour: [{ id: 'one', graph_inline: graph, options: {}, turns: [turn], ...behaviour }],
      validation: [{ id: 'two', graph_inline: graph, diagnostics: [], ...validation }],
    };
    writeFileSync(join(folder, 'cases.json'), JSON.stringify(cases));
    const { areas, failures } = await runFolder(folder, { only });
    return { areas, failures };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const passed = { passed: 1, total: 1 };
const failed = { passed: 0, total: 1 };

test('a folder passes if all its cases pass', async () => {
  expect(await reportOf({}, {})).toEqual({
    areas: { behaviour: passed, validation: passed },
    failures: [],
  });
});

test('a different trace is reported in full, in two lines', async () => {
  const trace = '[A] hello !A1';
  expect(await reportOf({ turns: [{ ...turn, trace }] }, {})).toEqual({
    areas: { behaviour: failed, validation: passed },
    failures: [
      {
        area: 'behaviour',
        id: 'one',
        expected: 'turn 1, trace: [A] hello !A1',
        actual: 'turn 1, trace: [A] hello -> [A] bye !A1',
      },
    ],
  });
});

test('a missing answer fails the case', async () => {
  const { failures } = await reportOf({ turns: [{ ...turn, answers: [] }] }, {});
  expect(failures).toHaveLength(1);
});

test('a missing finding fails the case', async () => {
  const { failures } = await reportOf({}, { diagnostics: [['error', 'CG-DUP', 'hello']] });
  expect(failures).toEqual([
    {
      area: 'validation',
      id: 'two',
      expected: 'findings: error duplicate-state "hello"',
      actual: 'findings: none',
    },
  ]);
});

test('one area can run alone', async () => {
  expect(await reportOf({}, {}, 'validation')).toEqual({
    areas: { validation: passed },
    failures: [],
  });
  await expect(reportOf({}, {}, 'nothing')).rejects.toThrow(
    'There is no area "nothing". The areas are: behaviour, validation.',
  );
});

test('a folder with an unknown layout is refused', async () => {
  await expect(runFolder(import.meta.dirname)).rejects.toThrow('has none of these layouts');
  await expect(runFolder('no/such/folder')).rejects.toThrow('There is no folder "no/such/folder".');
});
