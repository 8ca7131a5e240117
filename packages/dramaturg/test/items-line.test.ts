import { expect, test } from 'vitest';
import type { Output } from '../src/cli/output.ts';
import { ItemsLine } from '../src/cli/workflow/view.ts';

function outputOf({ isTerminal = false, columns = 80 } = {}) {
  let text = '';
  const output: Output = {
    write: (part) => void (text += part),
    paint: (_, part) => part,
    colour: false,
    isTerminal,
    width: () => columns,
  };
  return { output, text: () => text };
}

test('the states of all items are one line, written once in a pipe', () => {
  const { output, text } = outputOf();
  const items = new ItemsLine(output);
  items.end('');
  for (let item = 0; item < 3; item += 1) items.count('Pack', 'entered', '');
  items.count('Pack', 'left', '');
  items.count('Check', 'entered', '');
  items.count('Check', 'left', '');
  expect(text()).toBe('');
  items.end('');
  items.end('');
  expect(text()).toBe('  items: Pack 1 of 3 · Check 1\n');
  items.clear();
  items.count('Ship', 'entered', '  ');
  items.end('  ');
  expect(text()).toBe('  items: Pack 1 of 3 · Check 1\n    items: Ship 0 of 1\n');
});

test('on a terminal the line is written anew, and is never wider than the terminal', () => {
  const { output, text } = outputOf({ isTerminal: true, columns: 30 });
  const items = new ItemsLine(output);
  for (const state of ['Fetch', 'Compare', 'Decide', 'Store']) {
    items.count(state, 'entered', '');
    items.count(state, 'left', '');
  }
  items.end('');
  const lines = text().split('\r\u001B[K');
  expect(lines[1]).toBe('  items: Fetch 0 of 1');
  expect(lines.at(-1)).toMatch(/^ {2}items: Fetch 1 · Compare.*\n$/);
  for (const line of lines) expect(line.trimEnd().length).toBeLessThan(30);
});
