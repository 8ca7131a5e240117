import type { EventObject, PortInput } from '@dramaturg/compiler';
import type { ChartInvoke } from '@dramaturg/compiler/chart';
import { callInput, callKey } from './call.ts';
import type { ConversationContext, HandledEvent } from './context.ts';
import { constant, data, type OptionalSection, present, section } from './prompt.ts';

/**
 * A long conversation: between two turns, the older half of its latest messages is folded into a summary. Models then get the summary
 * and the messages after it, so that prompts stay short, and begin alike until the next summary. Spec:
 * docs/formats/plan.md#options
 */

/** In UTF-16 units. */
export const longestSummary = 8_000;

const guards = {
  isSummaryDue: (
    { context: { messages, folded = 0 } }: { context: ConversationContext },
    { after }: { readonly after: number },
  ) => messages - folded >= after,
};

const actions = {
  takeSummary: (
    { context, event }: { context: ConversationContext; event: HandledEvent },
    { after }: { readonly after: number },
  ): { context: Pick<ConversationContext, 'summary' | 'folded'>; emit: EventObject[] } => {
    const text = (event['output'] as { text: string }).text.slice(0, longestSummary);
    return {
      context: { summary: text, folded: foldedTo(context, after) },
      emit: [{ type: 'summary.written', text }],
    };
  },
};

const inputs = {
  summarise: (
    { context }: { context: ConversationContext },
    { after }: { readonly after: number },
  ) => {
    const { folded = 0 } = context;
    const count = foldedTo(context, after) - folded;
    const prompt = present([
      constant(
        section('What to do', [
          'Summarise the conversation for yourself: what was said, decided and left open. Add nothing.',
        ]),
      ),
      section('Messages', [
        `Fold the first ${count} messages into the summary so far, and write the whole of it anew.`,
      ]),
      summarySection(context),
    ]);
    const call: PortInput<'think'> = {
      ...callInput(context, callKey(context, 'summarise')),
      prompt,
    };
    return call;
  },
};

/** The guard, the action and the input that the nodes below name. */
export const summaryBehaviour = { guards, actions, inputs };

function foldedTo({ messages }: ConversationContext, after: number): number {
  return messages - Math.floor(after / 2);
}

/** The call that writes a summary. A summary that fails is tried again after the next turn. */
export function summarising(
  after: number,
  { written, failed }: Readonly<Record<'written' | 'failed', ChartInvoke['onDone']>>,
): ChartInvoke {
  return {
    id: 'summarise',
    src: 'think',
    input: { type: 'summarise', params: { after } },
    onDone: written,
    onError: failed,
  };
}

/** The summary, for prompts. */
export function summarySection({ summary }: ConversationContext): OptionalSection {
  return constant(data('Summary of the conversation so far', [summary]));
}
