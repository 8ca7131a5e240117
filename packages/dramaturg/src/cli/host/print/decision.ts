import { counted, visible } from '@dramaturg/compiler/text';
import type { DecisionSummary } from '@dramaturg/host';
import { type Output, visibleJson } from '../../output.ts';
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

/** The people who may decide on a question, and the rules for them. An absent field sets no limit. */
interface Terms {
  readonly options: readonly string[];
  readonly approvers?:
    | { readonly users: readonly string[]; readonly roles: readonly string[] }
    | undefined;
  readonly excluded?: readonly { readonly name: string }[] | undefined;
  readonly isExplained?: boolean | undefined;
  readonly editable?: readonly string[] | undefined;
  readonly batch?: Batch | undefined;
}

interface Batch {
  readonly items: readonly unknown[];
  readonly isDivisible: boolean;
  readonly least: number;
}

/** The terms of a decision in words: its options, who may decide, and the rules for that person. */
export function decisionTerms({
  options,
  approvers,
  excluded = [],
  isExplained,
  editable,
  batch,
}: Terms): string {
  const people = approvers && [
    ...approvers.users,
    ...approvers.roles.map((role) => `the role ${role}`),
  ];
  return [
    options.join(', '),
    ...(people ? [`by ${people.join(' or ')}`] : []),
    ...(excluded.length > 0 ? [`not by ${excluded.map(({ name }) => name).join(', ')}`] : []),
    ...(isExplained ? ['with a comment'] : []),
    ...(editable ? [`editable: ${editable.join(', ')}`] : []),
    ...(batch ? [batchTerms(batch)] : []),
  ].join('; ');
}

function batchTerms({ items, isDivisible, least }: Batch): string {
  const count = counted(items.length, 'item');
  if (!isDivisible) return `${count}, all or none`;
  return least > 0 ? `${count}, at least ${least} approved` : count;
}
