import type { EventObject, PortInput } from '@dramaturg/compiler';
import type { ChartNode, ChartTransition } from '@dramaturg/compiler/chart';
import { callInput, callKey } from './call.ts';
import type { ConversationContext, HandledEvent } from './context.ts';
import { constant, data, type OptionalSection, present, section } from './prompt.ts';

/**
 * A long conversation: between two turns, the older half of its latest messages is folded into a summary. Models then get the summary
 * and the messages after it, so that prompts stay short, and begin alike until the next summary. Spec:
 * docs/formats/plan.md#options
 */

/** In UTF-16 units. */
const longestSummary = 8_000;

/** The answer to a call about a summary, and the conversation. */
export interface SummaryScope {
  readonly context: ConversationContext;
  readonly event: HandledEvent;
}

/** @param after how many messages models get at most */
export function isSummaryDue(
  { messages, folded = 0 }: ConversationContext,
  after: number,
): boolean {
  return messages - folded >= after;
}

/** Takes the summary of a call to `think`. */
export function takeSummary(
  { context, event }: SummaryScope,
  after: number,
): { context: Pick<ConversationContext, 'summary' | 'folded'>; emit: EventObject[] } {
  const text = (event['output'] as { text: string }).text.slice(0, longestSummary);
  return {
    context: { summary: text, folded: foldedTo(context, after) },
    emit: [{ type: 'summary.written', text }],
  };
}

/** Says which messages to fold, and what is folded already. */
export function foldSections(context: ConversationContext, after: number): OptionalSection[] {
  const count = foldedTo(context, after) - (context.folded ?? 0);
  return [
    section('Messages', [
      `Fold the first ${count} messages into the summary so far, and write the whole of it anew.`,
    ]),
    summarySection(context),
  ];
}

type After = { readonly after: number };

/** The guard, the action and the input that the nodes below name. */
export const summaryBehaviour = {
  guards: {
    isSummaryDue: ({ context }: Pick<SummaryScope, 'context'>, { after }: After) =>
      isSummaryDue(context, after),
  },
  actions: { takeSummary: (scope: SummaryScope, { after }: After) => takeSummary(scope, after) },
  inputs: {
    summarise: (
      { context }: Pick<SummaryScope, 'context'>,
      { after }: After,
    ): PortInput<'think'> => ({
      ...callInput(context, callKey(context, 'summarise')),
      prompt: present([
        constant(section('What to do', [whatToDo])),
        ...foldSections(context, after),
      ]),
    }),
  },
};

const whatToDo =
  'Summarise the conversation for yourself: what was said, decided and left open. Add nothing.';

function foldedTo({ messages }: ConversationContext, after: number): number {
  return messages - Math.floor(after / 2);
}

/**
 * The node that writes a summary. A summary that fails is tried again after the next turn.
 *
 * @param next the transition after it
 * @param params of the input, which the format itself may make
 */
export function summarising(next: ChartTransition, params?: After): ChartNode {
  const named = (type: string) => ({ type, ...(params && { params }) });
  const onDone = [{ ...next, actions: [named('takeSummary'), ...(next.actions ?? [])] }];
  const input = named('summarise');
  return { invoke: [{ id: 'summarise', src: 'think', input, onDone, onError: [next] }] };
}

/** The summary, for prompts. */
export function summarySection({ summary }: ConversationContext): OptionalSection {
  return constant(data('Summary of the conversation so far', [summary]));
}
