import * as a11y from '@storybook/addon-a11y/preview';
import { setProjectAnnotations } from '@storybook/react-vite';
import { afterEach, beforeEach } from 'vitest';
import * as preview from '../.storybook/preview.tsx';

setProjectAnnotations([a11y, preview]);

/**
 * What a browser tells when an observer of sizes has changed sizes: it looks again in the next frame, and nothing is wrong.
 * Whether it happens depends on how busy the machine is.
 */
const putOff = 'ResizeObserver loop completed with undelivered notifications';

const said: string[] = [];
const note = (line: string) => {
  if (!line.includes(putOff)) said.push(line);
};
for (const level of ['error', 'warn'] as const) {
  const original = console[level];
  console[level] = (...words: unknown[]) => {
    note(`${level}: ${words.map(String).join(' ')}`);
    original(...words);
  };
}
globalThis.addEventListener('error', ({ message }) => note(`error: ${message}`));
globalThis.addEventListener('unhandledrejection', ({ reason }) => note(`rejection: ${reason}`));

beforeEach(() => {
  said.length = 0;
  performance.clearResourceTimings();
});

afterEach(() => {
  if (said.length > 0) throw new Error(`The console was told:\n${said.join('\n')}`);
  const outside = performance
    .getEntriesByType('resource')
    .map(({ name }) => name)
    .filter((name) => /^https?:/.test(name) && new URL(name).host !== location.host);
  if (outside.length > 0) throw new Error(`Requests leave the machine:\n${outside.join('\n')}`);
});
