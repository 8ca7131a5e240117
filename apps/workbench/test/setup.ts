import * as a11y from '@storybook/addon-a11y/preview';
import { setProjectAnnotations } from '@storybook/react-vite';
import { afterEach, beforeEach } from 'vitest';
import * as preview from '../.storybook/preview.tsx';

setProjectAnnotations([a11y, preview]);

/**
 * Browsers report this when an observer of sizes changes sizes, and observe again in the next frame. It is harmless, and
 * happens when the machine is busy.
 */
const harmless = 'ResizeObserver loop completed with undelivered notifications';

const problems: string[] = [];
const note = (line: string) => {
  if (!line.includes(harmless)) problems.push(line);
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
  problems.length = 0;
  performance.clearResourceTimings();
});

afterEach(() => {
  if (problems.length > 0) throw new Error(`Found in the console:\n${problems.join('\n')}`);
  const outside = performance
    .getEntriesByType('resource')
    .map(({ name }) => name)
    .filter((name) => /^https?:/.test(name) && new URL(name).host !== location.host);
  if (outside.length > 0) throw new Error(`Requests to other machines:\n${outside.join('\n')}`);
});
