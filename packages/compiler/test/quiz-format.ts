import * as z from 'zod';
import { type Chart, isRecord } from '../src/index.ts';
import { type Format, problem } from '../src/entries/format.ts';
import type { Behaviour } from '../src/entries/machine.ts';

/** A format small enough to read at a glance: a quiz with one question, asked until it is answered. */
interface Quiz {
  readonly question: string;
  readonly answer: string;
}

const sillyQuestion = problem('quiz/silly-question', 'warning', (question: string) => ({
  message: `"${question}" is no question.`,
  hint: 'End it with a question mark.',
}));

const behaviour: Behaviour = {
  contexts: {
    start: ({ input }) => ({ tries: 0, name: isRecord(input) ? input['name'] : undefined }),
  },
  guards: {
    isRight: ({ event }, { answer }: { answer: string }) => event.output.option === answer,
  },
  actions: {
    count: ({ context }) => ({
      context: { tries: context.tries + 1 },
      emit: [{ type: 'tried', tries: context.tries + 1 }],
    }),
    again: () => ({ raise: [{ type: 'ask' }] }),
    fail: ({ event }) => ({
      emit: [{ type: 'failed', code: event.error.code, message: event.error.message }],
    }),
  },
  inputs: {
    question: ({ context, meta }) => ({
      key: `quiz/${context.tries}`,
      transcript: { conversation: 'quiz', length: 0 },
      prompt: [{ title: 'Question', text: meta.get('quiz:asking')?.['question'] as string }],
      options: [
        { id: 'yes', description: 'Yes' },
        { id: 'no', description: 'No' },
      ],
    }),
  },
  outputs: { tries: ({ context }) => context.tries },
};

export function quizChart({ question, answer }: Quiz): Chart {
  return {
    chart: 1,
    format: 'quiz',
    id: 'quiz',
    context: { type: 'start' },
    output: { type: 'tries' },
    initial: 'asking',
    meta: { origin: [] },
    states: {
      asking: {
        id: 'quiz:asking',
        meta: { origin: ['question'], question },
        invoke: [
          {
            id: 'choose',
            src: 'choose',
            input: { type: 'question' },
            onDone: [
              {
                target: 'done',
                guard: { type: 'isRight', params: { answer } },
                actions: [{ type: 'count' }],
              },
              { target: 'wrong', actions: [{ type: 'count' }, { type: 'again' }] },
            ],
            onError: [{ target: 'failed', actions: [{ type: 'fail' }] }],
          },
        ],
      },
      wrong: { tags: ['resting'], on: { ask: [{ target: 'asking' }] } },
      failed: { type: 'final' },
      done: { type: 'final' },
    },
  };
}

export const quiz: Format<Quiz, { strict: boolean }> = {
  name: 'quiz',
  kind: 'conversation',
  title: 'quiz',
  suffixes: ['.quiz.json'],
  recognise: (value) =>
    isRecord(value) && 'question' in value
      ? { matches: true, signs: ['its "question"'] }
      : { matches: false, because: 'it has no "question"' },
  shape: () =>
    z.object({
      question: z.string(),
      answer: z.enum(['yes', 'no']),
      comment: z.string().optional(),
    }),
  options: z.strictObject({ strict: z.boolean().default(false) }),
  normalise: (value) => {
    const fields = isRecord(value) ? value : {};
    return { question: String(fields['question']), answer: String(fields['answer']) };
  },
  rules: [
    ({ definition, report }) => {
      if (!definition.question.endsWith('?'))
        report(sillyQuestion(definition.question), ['question']);
    },
  ],
  lower: quizChart,
  outline: { parts: [], references: {}, whole: [], derived: [] },
  behaviour,
  problems: [sillyQuestion],
};

/** The same shape under another name, to be taken for a quiz. */
export const riddle: Format<Quiz, { strict: boolean }> = {
  ...quiz,
  name: 'riddle',
  title: 'riddle',
  suffixes: ['.riddle.json'],
};
