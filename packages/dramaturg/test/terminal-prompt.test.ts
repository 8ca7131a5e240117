import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { hasTerminal, OnTerminal } from './terminal.ts';

const program = fileURLToPath(new URL('asking-program.ts', import.meta.url));

describe.runIf(hasTerminal)('a prompt on a terminal', () => {
  test('stays below a message that arrives while the person types', async () => {
    const terminal = new OnTerminal([], { program });
    await terminal.says('you ');
    for (const [key, sign] of [
      ['a', 'you a'],
      ['b', 'of two lines\nyou ab'],
      ['c', 'you abc'],
      ['d', 'half of '],
      ['e', 'half of a message\nyou abcde'],
    ] as const) {
      terminal.press(key);
      await terminal.says(sign);
    }
    terminal.press('\r');
    expect(await terminal.exit).toBe(0);
    expect(terminal.lines).toEqual([
      'a message',
      'of two lines',
      'half of a message',
      'you abcde',
      'said abcde',
      '',
    ]);
  });

  test('stays below it when what was typed is longer than a line', async () => {
    const terminal = new OnTerminal([], { program, columns: 20 });
    await terminal.says('you ');
    terminal.press('a'.repeat(40));
    await terminal.says('a'.repeat(20));
    terminal.press('b');
    await terminal.says('of two lines');
    terminal.press('\r');
    expect(await terminal.exit).toBe(0);
    expect(terminal.text).toContain(`said ${'a'.repeat(40)}b`);
    // The cursor goes up two rows before the prompt of three rows is erased.
    expect(terminal.raw).toContain('\u001B[2A\r\u001B[Ja message');
  });
});
