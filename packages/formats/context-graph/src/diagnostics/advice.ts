import { problemsOf } from '@dramaturg/compiler/format';

const { info } = problemsOf('context-graph');

export const noSafetyExit = info('no-safety-exit', (name: string) => ({
  message: `No exit of "${name}" leads to the terminal state: a person who wants to stop here cannot.`,
  hint: 'Add an exit such as "The user explicitly asks to stop now".',
}));

export const density = info(
  'density',
  (name: string, count: number, what: string, usual: string) => ({
    message: `"${name}" has ${count} ${what}. Usual is ${usual}.`,
  }),
);

export const nonAscii = info('non-ascii', (character: string) => ({
  message: `This text has the character "${character}", which is not ASCII.`,
  hint: 'Replace it if you use voices or tools that read only ASCII.',
}));
