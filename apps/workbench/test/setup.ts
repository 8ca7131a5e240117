import * as a11y from '@storybook/addon-a11y/preview';
import { setProjectAnnotations } from '@storybook/react-vite';
import { afterEach, beforeEach } from 'vitest';
import * as preview from '../.storybook/preview.tsx';

setProjectAnnotations([a11y, preview]);

const said: string[] = [];
for (const level of ['error', 'warn'] as const) {
  const original = console[level];
  console[level] = (...words: unknown[]) => {
    said.push(`${level}: ${words.map(String).join(' ')}`);
    original(...words);
  };
}
globalThis.addEventListener('error', ({ message }) => said.push(`error: ${message}`));
globalThis.addEventListener('unhandledrejection', ({ reason }) =>
  said.push(`rejection: ${reason}`),
);

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
