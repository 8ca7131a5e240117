import { problem } from '@dramaturg/compiler/format';

export const noSafetyExit = problem('context-graph/no-safety-exit', 'info', (name: string) => ({
  message: `No exit of "${name}" leads to the terminal state: a person who wants to stop here cannot.`,
  hint: 'Add an exit such as "The user explicitly asks to stop now".',
}));

export const density = problem(
  'context-graph/density',
  'info',
  (name: string, count: number, what: string, usual: string) => ({
    message: `"${name}" has ${count} ${what}. Usual is ${usual}.`,
  }),
);

export const nonAscii = problem('context-graph/non-ascii', 'info', (character: string) => ({
  message: `This text has the character "${character}", which is not ASCII.`,
  hint: 'Replace it if you use voices or tools that read only ASCII.',
}));
