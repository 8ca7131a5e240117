import { describe, expect, test } from 'vitest';
import { sampled } from '../../../.config/scaled.ts';
import { wrapParagraphs } from '../src/cli/command.ts';
import { dramaturg } from './command.ts';
import { hasTerminal, OnTerminal } from './terminal.ts';

test('paragraphs break at words, wherever their lines broke before', () => {
  const text = `
The client has every right of this command. It ends
when the client closes it.
A second one.

Examples:
  $ dramaturg a-long-example --with-options and --more-of-them
`;
  expect(wrapParagraphs(text, 30)).toBe(`
The client has every right of
this command. It ends when the
client closes it.
A second one.

Examples:
  $ dramaturg a-long-example --with-options and --more-of-them
`);
  expect(wrapParagraphs(text, 200)).toContain(
    'The client has every right of this command. It ends when the client closes it.\nA second one.',
  );
});

describe.skipIf(!hasTerminal)('in a terminal', () => {
  test.each([40, 60, 100])('with %i columns, only examples are longer', async (columns) => {
    for (const name of sampled(['mcp', 'erase', 'simulate'])) {
      const terminal = new OnTerminal([name, '--help'], { columns });
      expect(await terminal.exit).toBe(0);
      const after = terminal.text.slice(terminal.text.lastIndexOf('explain the command'));
      const lines = after
        .split('\n')
        .slice(1)
        .map((line) => line.trimEnd());
      const prose = lines.filter((line) => /^\S/.test(line));
      expect(prose.filter((line) => line.length > columns)).toEqual([]);
      expect(Math.max(...prose.map((line) => line.length))).toBeGreaterThan(columns * 0.7);
    }
  });
});

test('every paragraph of help fits 80 columns in a pipe', async () => {
  for (const name of ['decide', 'test', 'copy', 'explore']) {
    const { stdout } = await dramaturg([name, '--help']);
    const lines = stdout
      .split('\n')
      .filter((line) => /^\S/.test(line) && !line.startsWith('Usage'));
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  }
});
