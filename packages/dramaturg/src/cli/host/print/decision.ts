import { visible } from '@dramaturg/compiler/text';
import type { DecisionSummary } from '@dramaturg/host';
import type { Output } from '../../output.ts';
import { visibleJson } from '../../visible.ts';
import { decisionTerms } from './decision-terms.ts';
import { dueTime } from './time.ts';

/** Writes an open decision: its name, its prompt line by line, the items of a batch, and its terms. */
export function writeDecision(
  { write, paint }: Output,
  decision: DecisionSummary,
  now: number,
): void {
  const { until, definition, prompt, batch } = decision;
  const due = until === undefined ? '' : `, ${dueTime(until, now)}`;
  const name = paint('bold', visible(decision.decision));
  write(`${name}  ${paint('dim', `${visible(definition.name)}${due}`)}\n`);
  const lines = [
    ...prompt.split('\n').filter((line) => line.trim() !== ''),
    ...(batch?.items.map((item, index) => `${index}: ${JSON.stringify(item)}`) ?? []),
  ];
  for (const line of lines) write(`  ${visibleJson(visible(line))}\n`);
  write(`  ${paint('dim', visible(decisionTerms(decision)))}\n`);
}
