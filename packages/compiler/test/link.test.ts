import { describe, expect, test } from 'vitest';
import { link, LinkError, nameUse, nodeKey } from '../src/index.ts';
import { quiz, quizChart } from './quiz-format.ts';

const chart = quizChart({ question: 'Is it?', answer: 'yes' });

describe('link', () => {
  test('lists every missing name at once', () => {
    const { guards: _, ...rest } = quiz.behaviour;
    const { count: __, ...actions } = rest.actions;
    const lacking = { ...rest, guards: {}, actions, inputs: {}, outputs: {} };
    const error = (() => {
      try {
        link(chart, lacking);
      } catch (thrown) {
        return thrown;
      }
      return undefined;
    })();
    expect(error).toBeInstanceOf(LinkError);
    expect((error as LinkError).code).toBe('link/unknown-name');
    expect((error as LinkError).missing).toEqual([
      'action count',
      'guard isRight',
      'input question',
      'output tries',
    ]);
  });

  test('lists a port that does not exist', () => {
    const broken = JSON.parse(
      JSON.stringify(chart).replace('"src":"choose"', '"src":"telepathy"'),
    ) as typeof chart;
    expect(nameUse(broken, quiz.behaviour).missing).toEqual(['port telepathy']);
  });

  test('tells which names a chart does not use', () => {
    const behaviour = {
      ...quiz.behaviour,
      guards: { ...quiz.behaviour.guards, isNever: () => false },
    };
    expect(nameUse(chart, behaviour)).toEqual({ missing: [], unused: ['guard isNever'] });
  });

  test('needs nothing but the chart as JSON', () => {
    const machine = link(JSON.parse(JSON.stringify(chart)) as typeof chart, quiz.behaviour);
    expect(Object.keys(machine.root.states)).toEqual(['asking', 'wrong', 'failed', 'done']);
  });
});

describe('the key of a node', () => {
  test('is the id as written when nothing in it means something to XState', () => {
    expect(nodeKey('customer-intake')).toBe('customer-intake');
    expect(nodeKey('with spaces, é and "quotes"')).toBe('with spaces, é and "quotes"');
  });

  test('escapes dots, hashes, percent signs, numbers and the prototype', () => {
    expect(['a.b', '#a', '100%', '42', '__proto__', ''].map(nodeKey)).toEqual([
      'a%2Eb',
      '%23a',
      '100%25',
      '%342',
      '%5F_proto__',
      '%',
    ]);
  });

  test('is another for each id', () => {
    const ids = ['a.b', 'a%2Eb', '42', '%342', '__proto__', '%5F_proto__', '', '%', '%%'];
    expect(new Set(ids.map(nodeKey)).size).toBe(ids.length);
  });
});
