import { Text } from '@codemirror/state';
import { compile } from 'dramaturg';
import { createActor } from 'xstate';
import { expect, test } from 'vitest';
import { verdictOn } from '../src/bench/workbench.tsx';
import { fits } from '../src/bench/use-begun.ts';
import { markOf } from '../src/editor/mark-of.ts';
import { suggestedName } from '@dramaturg/compiler/editor';
import { withSuggestion } from '../src/editor/findings.tsx';

const plan = (state: string, target = state) =>
  JSON.stringify({
    title: 'One state',
    initial_state_id: target,
    states: [{ id: state, title: 'State', tasks: [{ id: 'ask', description: 'Ask' }] }],
  });

test.each([
  ['JSON', plan('hello', 'hell'), plan('hello')],
  [
    'YAML without quotes, with line breaks of Windows',
    'title: t\r\ninitial_state_id: hell\r\nstates:\r\n  - { id: hello, title: H, tasks: [{ id: a, description: A }] }\r\n',
    'title: t\ninitial_state_id: hello\nstates:\n  - { id: hello, title: H, tasks: [{ id: a, description: A }] }\n',
  ],
])('the suggestion of a hint replaces the wrong name: %s', (_, wrong, right) => {
  const { diagnostics } = compile(wrong.replaceAll('\r\n', '\n'), { fileName: 'x.plan.yaml' });
  const [finding] = diagnostics.filter(({ severity }) => severity === 'error');
  const suggestion = suggestedName(finding!.hint);
  expect(suggestion).toBe('hello');
  expect(withSuggestion(wrong, finding!, suggestion!)).toBe(right);
  expect(suggestedName('Write it in quotes.')).toBeUndefined();
});

test('notes are neither errors nor warnings', () => {
  const compiled = { ...compile(plan('hello')), title: 'plan', formats: [] };
  const [found] = compile(plan('hello', 'hell')).diagnostics;
  const of = (...severities: readonly ('error' | 'warning' | 'info')[]) =>
    verdictOn({
      ...compiled,
      diagnostics: severities.map((severity) => ({ ...found!, severity })),
    });
  expect(of('info')).toBe('Plan, valid');
  expect(of('info', 'warning')).toBe('Plan, valid, with 1 warning');
});

test('a run goes on in a machine that has its states, unless it has ended', () => {
  const { machine } = compile(plan('hello'));
  const actor = createActor(machine!).start();
  const stored = { snapshot: actor.getPersistedSnapshot(), messages: [], deliverables: [] };
  actor.stop();
  expect(fits(compile(plan('hello')).machine!, stored)).toBe(true);
  expect(fits(compile(plan('other')).machine!, stored)).toBe(false);
  const ended = { ...stored, snapshot: { ...stored.snapshot, status: 'done' } };
  expect(fits(machine!, ended)).toBe(false);
});

test('a finding about several lines is marked in its first line, also in a text that has become shorter', () => {
  const lines = ['title: t', 'states:', '  - id: a', '    title: A'];
  const text = Text.of(lines);
  const end = { offset: text.length, line: 4, column: 13 };
  const start = { offset: text.line(3).from + 2, line: 3, column: 3 };
  const { diagnostics } = compile('{', { fileName: 'x.plan.json' });
  const finding = { ...diagnostics[0]!, range: { start, end } };
  expect(markOf(finding, text)).toMatchObject({ from: start.offset, to: text.line(3).to });
  const inLine = { ...finding, range: { start, end: { ...start, offset: start.offset + 2 } } };
  expect(markOf(inLine, text)).toMatchObject({ from: start.offset, to: start.offset + 2 });
  expect(markOf(finding, Text.of(['t']))).toMatchObject({ from: 1, to: 1 });
});
