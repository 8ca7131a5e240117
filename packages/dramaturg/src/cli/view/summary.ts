import { visible } from '@dramaturg/compiler/text';
import type { Json } from '@dramaturg/compiler';
import type { Output } from '../output.ts';
import { usageText } from './usage-text.ts';
import { paragraph } from './paragraph.ts';
import type { Ending } from './view.ts';
import { widthOf } from './width.ts';

/** Prints the collected values as a table, and the outcome of the conversation. */
export function summary(output: Output, ending: Ending, stateTitle: string): void {
  const { write } = output;
  table(output, ending.deliverables);
  write('\n');
  lastWords(output, ending, stateTitle);
  if (ending.used) write(`  ${output.paint('dim', `Used: ${usageText(ending.used)}.`)}\n`);
}

function table(output: Output, deliverables: Readonly<Record<string, Json>>): void {
  const rows = Object.entries(deliverables).map(([key, value]) => [visible(key), value] as const);
  if (rows.length === 0) {
    output.write('  Nothing was collected.\n');
    return;
  }
  const widest = Math.max(...rows.map(([key]) => widthOf(key)));
  // Long keys are printed above their values.
  const beside = 2 + widest + 3 <= output.width() / 2;
  const indent = beside ? 2 + widest + 3 : 4;
  for (const [key, value] of rows) {
    const name = `  ${output.paint('dim', key)}`;
    const label = beside
      ? name + ' '.repeat(indent - 2 - widthOf(key))
      : `${name}\n${' '.repeat(indent)}`;
    const cell = paragraph(output, label, indent);
    cell.say(typeof value === 'string' ? value : JSON.stringify(value));
    cell.end();
  }
}

function lastWords(output: Output, { outcome, open, next }: Ending, stateTitle: string): void {
  const say = (label: string, text: string) => {
    const line = paragraph(output, label, 2);
    line.say(text);
    line.end();
  };
  const { paint } = output;
  if (outcome === 'completed') {
    say(`${paint('green', '✓')} `, `The conversation is completed. It ended in "${stateTitle}".`);
    return;
  }
  if (outcome === 'cancelled') {
    say(`${paint('yellow', '!')} `, `The conversation was cancelled in "${stateTitle}".`);
    return;
  }
  if (outcome !== 'unfinished') {
    say('  ', `The conversation ended with ${outcome} in "${stateTitle}".`);
    return;
  }
  if (stateTitle === '') {
    say(`${paint('yellow', '!')} `, 'The conversation has not begun.');
    return;
  }
  const wanted = open
    .map(({ name, required }) => (required ? name : `${name} (optional)`))
    .join(', ');
  say(
    `${paint('yellow', '!')} `,
    `The conversation stopped in "${stateTitle}".${wanted === '' ? '' : ` Still open: ${wanted}.`}`,
  );
  say('  ', next);
}
