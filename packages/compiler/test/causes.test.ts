import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { check } from '../src/index.ts';
import { type Format, problem, type Report } from '../src/entries/format.ts';
import { quiz } from './quiz-format.ts';

/** One finding for each cause: a finding that another one explains is dropped. */

const unknown = problem('quiz/unknown', 'error', (name: string) => ({
  message: `There is no "${name}".`,
}));
const odd = problem('quiz/odd', 'warning', () => ({ message: 'This is odd.' }), { misread: true });
const plain = problem('quiz/plain', 'warning', () => ({ message: 'This is plain.' }));
const concluded = problem('quiz/concluded', 'warning', () => ({
  message: 'So nothing leads here.',
}));
const broken = problem('quiz/broken', 'error', () => ({ message: 'So it cannot work.' }));

const shape = z.object({
  question: z.string(),
  answer: z.enum(['yes', 'no']),
  hints: z.array(z.object({ text: z.string(), level: z.int() })).optional(),
});

/** The findings that the shape and `rule` report for a definition. */
function findings(definition: object, rule: (report: Report) => void): string[] {
  const format: Format = {
    ...(quiz as unknown as Format),
    shape: () => shape,
    rules: [({ report }) => rule(report)],
  };
  const { diagnostics } = check(JSON.stringify(definition), { formats: [format] });
  return diagnostics.map(
    ({ severity, code, path, related = [] }) =>
      `${severity} ${code} ${[path, ...related.map((place) => place.path)].map((steps) => steps.join('.')).join(' + ')}`,
  );
}

const sound = { question: 'Is it?', answer: 'yes', hints: [{ text: 'Maybe.', level: 1 }] };

describe('a finding of a rule', () => {
  test('is dropped when the shape of its place, or of a parent of it, is wrong', () => {
    expect(
      findings({ ...sound, hints: 'one' }, (report) => {
        report(broken(), ['hints']);
        report(concluded(), ['hints', 0, 'text']);
        report(plain(), ['question']);
      }),
    ).toEqual(['warning quiz/plain question', 'error shape/wrong-type hints']);
  });

  test('is dropped when it is about a missing field', () => {
    expect(
      findings({ question: 'Is it?' }, (report) => report(broken(), [], { about: [['answer']] })),
    ).toEqual(['error shape/missing-field ']);
  });

  test('is dropped when a place that it follows from has an error', () => {
    expect(
      findings(sound, (report) => {
        report(concluded(), ['question'], { follows: [['hints', '*', 'text']] });
        report(unknown('Maybe.'), ['hints', 0, 'text']);
      }),
    ).toEqual(['error quiz/unknown hints.0.text']);
  });

  test('is kept when only places that it does not follow from have errors', () => {
    expect(
      findings(sound, (report) => {
        report(concluded(), ['question'], { follows: [['hints', '*', 'text']] });
        report(unknown('1'), ['hints', 0, 'level']);
      }),
    ).toEqual(['warning quiz/concluded question', 'error quiz/unknown hints.0.level']);
  });

  test('is explained by a warning only if the warning is marked as misread', () => {
    const rule = (warning: typeof odd) => (report: Report) => {
      report(warning(), ['hints', 0]);
      report(concluded(), ['question'], { follows: [['hints']] });
    };
    expect(findings(sound, rule(odd))).toEqual(['warning quiz/odd hints.0']);
    expect(findings(sound, rule(plain))).toEqual([
      'warning quiz/concluded question',
      'warning quiz/plain hints.0',
    ]);
  });

  test('that is an error turns the warning that explains it into an error', () => {
    expect(
      findings(sound, (report) => {
        report(odd(), ['hints', 0]);
        report(broken(), ['question'], { follows: [['hints']] });
      }),
    ).toEqual(['error quiz/odd hints.0']);
  });

  test('lists further places when one topic has several places', () => {
    expect(
      findings(sound, (report) => {
        for (const path of [['hints', 0, 'text'], ['question'], ['answer']])
          report(unknown('x'), path, { topic: 'x' });
        report(unknown('y'), ['hints', 0, 'level'], { topic: 'y' });
      }),
    ).toEqual([
      'error quiz/unknown hints.0.text + question + answer',
      'error quiz/unknown hints.0.level',
    ]);
  });
});

describe('a finding of the shape', () => {
  const said = (definition: object) => {
    const format: Format = { ...(quiz as unknown as Format), shape: () => shape, rules: [] };
    return check(JSON.stringify(definition), { formats: [format] }).diagnostics.map(
      ({ severity, message, hint }) => `${severity}: ${message} ${hint}`,
    );
  };

  test('lists all missing fields of an object', () => {
    expect(said({ ...sound, hints: [{}] })).toEqual([
      'error: The fields "text" and "level" are missing. Add "text": a text in quotes, "level": a whole number.',
    ]);
  });

  test('is one error for a required field that is misspelt', () => {
    expect(said({ question: 'Is it?', anwser: 'yes' })).toEqual([
      'error: The field "anwser" is unknown here. Did you mean "answer"?',
    ]);
  });

  test.each([
    ['hints', 'one', 'Expected a list, found the text "one". Put it into a list: ["one"].'],
    [
      'hints',
      { text: 'x', level: 1 },
      'Expected a list, found an object. Put it into a list: write [{ "text": "...", "level": 1 }], or in YAML begin each item with "- ".',
    ],
    ['question', 5, 'Expected a text in quotes, found the number 5. Write "5" in quotes.'],
    ['question', ['x'], 'Expected a text in quotes, found a list. Write one text in quotes.'],
    ['question', null, 'Expected a text in quotes, found null. Write one text in quotes.'],
    ['answer', 'yess', 'Expected "yes" or "no", found the text "yess". Did you mean "yes"?'],
    ['answer', 'maybe', 'Expected "yes" or "no", found the text "maybe". Write "yes" or "no".'],
  ])('says what to write when "%s" is %j', (field, value, words) => {
    expect(said({ ...sound, [field]: value })).toEqual([`error: ${words}`]);
  });
});
