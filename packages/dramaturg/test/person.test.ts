import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { personOfPipe } from '../src/cli/conversation/person.ts';

test('a line that nobody waits for any more is for whoever asks next', async () => {
  const input = new PassThrough();
  const person = personOfPipe(input as unknown as NodeJS.ReadStream);
  const stop = new AbortController();
  const first = person.nextLine(() => '', { signal: stop.signal });
  stop.abort();
  expect(await first).toBe(undefined);
  input.end('approve\n');
  expect(await person.nextLine(() => '')).toBe('approve');
  expect(await person.nextLine(() => '')).toBe(undefined);
});

test('a blank line is a line where it is an answer, and the end of the input is none', async () => {
  const input = new PassThrough();
  const person = personOfPipe(input as unknown as NodeJS.ReadStream);
  input.end('\nAda\n\n\n');
  expect(await person.nextLine(() => '')).toBe('Ada');
  expect(await person.nextLine(() => '', { blank: true })).toBe('');
  expect(await person.nextLine(() => '', { blank: true })).toBe('');
  expect(await person.nextLine(() => '', { blank: true })).toBe(undefined);
});
