import { createActor, waitFor } from 'xstate';
import { describe, expect, test } from 'vitest';
import { check, compile, providePorts } from '../src/index.ts';
import { quiz, riddle } from './quiz-format.ts';

const formats = [quiz];
const sound = '{ "question": "Is it?", "answer": "yes" }';

/** The position and code of every finding. */
function findings(text: string, options: Partial<Parameters<typeof check>[1]> = {}): string[] {
  const { diagnostics } = check(text, { formats, ...options });
  return diagnostics.map(({ code, range }) => `${range.start.line}:${range.start.column} ${code}`);
}

describe('compile', () => {
  test('returns the definition, chart and machine of a valid text, without findings', () => {
    const compiled = compile(sound, { formats });
    expect(compiled.format).toBe('quiz');
    expect(compiled.definition).toEqual({ question: 'Is it?', answer: 'yes' });
    expect(compiled.chart?.id).toBe('quiz');
    expect(compiled.machine?.id).toBe('quiz');
    expect(compiled.diagnostics).toEqual([]);
  });

  test('reports findings of the reader, the shape and the rules in one run, in order of position', () => {
    const text =
      '{\n  "question": "Nonsense",\n  "coment": "hm",\n  "answer": "maybe",\n  "answer": 7\n}';
    expect(findings(text)).toEqual([
      '2:15 quiz/silly-question',
      '3:3 shape/misspelt-field',
      '5:3 read/duplicate-key',
      '5:13 shape/wrong-value',
    ]);
  });

  test('returns a machine despite warnings, but none if there is an error', () => {
    expect(compile('{ "question": "Is it?" }', { formats }).machine).toBeUndefined();
    const warned = compile('{ "question": "Nonsense", "answer": "no" }', { formats });
    expect(warned.diagnostics.map(({ severity }) => severity)).toEqual(['warning']);
    expect(warned.machine).toBeDefined();
  });

  test('reports a missing field at its object, with what to add', () => {
    const [finding] = check('{ "question": "Is it?" }', { formats }).diagnostics;
    expect(finding).toEqual({
      code: 'shape/missing-field',
      severity: 'error',
      path: [],
      range: { start: { line: 1, column: 1, offset: 0 }, end: { line: 1, column: 25, offset: 24 } },
      message: 'The field "answer" is missing.',
      hint: 'Add "answer": "yes" or "no".',
    });
  });

  test('stops after 500 findings and reports that there are more', () => {
    const many = {
      ...quiz,
      rules: [
        ({ report }: Parameters<(typeof quiz.rules)[number]>[0]) => {
          for (let index = 0; index < 2_000; index += 1)
            report({ code: 'quiz/x', severity: 'warning', message: 'x' }, []);
        },
      ],
    };
    const { diagnostics } = check(sound, { formats: [many] });
    expect(diagnostics).toHaveLength(501);
    expect(diagnostics.filter(({ code }) => code === 'format/too-many-findings')).toHaveLength(1);
  });
});

describe('the format of a definition', () => {
  test('is the named one', () => {
    expect(check(sound, { formats: [quiz, riddle], format: 'riddle' }).format).toBe('riddle');
  });

  test('is detected by the suffix of the file', () => {
    expect(check(sound, { formats: [quiz, riddle], fileName: 'x.riddle.json' }).format).toBe(
      'riddle',
    );
  });

  test('is the only one that recognises the shape', () => {
    expect(check(sound, { formats }).format).toBe('quiz');
  });

  test('must be named when two formats recognise the definition equally well', () => {
    const [finding] = check(sound, { formats: [quiz, riddle] }).diagnostics;
    expect([finding?.code, finding?.message, finding?.hint]).toEqual([
      'format/ambiguous',
      'This could be a quiz or a riddle.',
      'A quiz because of its "question". A riddle because of its "question". Name the format: "quiz" or "riddle".',
    ]);
  });

  test('is unknown when no format recognises the definition, and each format says why', () => {
    const [finding] = check('{ "states": [] }', { formats }).diagnostics;
    expect([finding?.code, finding?.hint]).toEqual([
      'format/unknown',
      'Not a quiz: it has no "question".',
    ]);
  });

  test('is unknown when a field of the root is misspelt, and the finding names that field', () => {
    const [finding] = check('{ "qestion": "Is it?" }', { formats }).diagnostics;
    expect([finding?.code, finding?.path, finding?.hint]).toEqual([
      'format/unknown',
      ['qestion'],
      'The field "qestion" is unknown. Did you mean "question"?',
    ]);
  });

  test('must exist when a name is given', () => {
    const [finding] = check(sound, { formats, format: 'quizz' }).diagnostics;
    expect([finding?.code, finding?.hint]).toEqual([
      'format/no-such-format',
      'Did you mean "quiz"?',
    ]);
  });

  test('refuses options it does not have', () => {
    expect(findings(sound, { options: { strikt: true } })).toEqual(['1:1 format/wrong-option']);
  });
});

describe('a compiled machine', () => {
  test('calls its ports and runs the functions of its behaviour', async () => {
    const { machine } = compile(sound, { formats });
    const answers = ['no', 'no', 'yes'];
    const keys: string[] = [];
    const actor = createActor(
      providePorts(machine!, {
        choose: ({ key, prompt }) => {
          keys.push(`${key} ${prompt[0]?.text}`);
          return { option: answers[keys.length - 1]! };
        },
      }),
    );
    const events: unknown[] = [];
    actor.on('*', (event) => events.push(event));
    actor.start();
    const { output } = await waitFor(actor, ({ status }) => status === 'done');
    expect(output).toBe(3);
    expect(keys).toEqual(['quiz/0 Is it?', 'quiz/1 Is it?', 'quiz/2 Is it?']);
    expect(events).toEqual([1, 2, 3].map((tries) => ({ type: 'tried', tries })));
  });
});
