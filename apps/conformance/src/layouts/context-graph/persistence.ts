import type { JsonObject, PortOutput } from '@dramaturg/compiler';
import { type Difference, firstDifference } from '../../layout.ts';
import type { PersistenceCase } from './case-file.ts';
import { Performance } from './performance.ts';

const toolId = '000000000000000000000000';

/** Creates a graph that allows a tool during the selection of an action. */
function graphWith(result_persistence: string): JsonObject {
  const action = (name: string, fields: JsonObject): JsonObject => ({
    type: 'action',
    name,
    objective: 'Talk',
    intra_state_navigation_guidelines: [],
    action_guidelines: [],
    boundary_constraints: [],
    ...fields,
  });
  return {
    description: 'A graph with a tool.',
    new_user_initial_state: 'talk',
    returning_user_initial_state: 'talk',
    terminal_state: 'end',
    states: [
      action('talk', {
        actions: ['Talk', 'Ask'],
        exit_conditions: [{ description: 'All is said', next_state: 'end' }],
        exit_condition_tool_call_specs: [
          {
            tool_id: toolId,
            version_constraint: '>=1',
            additional_instruction: 'Look it up',
            result_persistence,
          },
        ],
      }),
      action('end', { actions: ['Say goodbye'], exit_conditions: [] }),
    ],
  };
}

/** Lets the model use the tool once during the selection of an action, and compares which later calls see the result. */
export async function runPersistence({
  result_persistence,
  result_chars,
  ...expected
}: PersistenceCase): Promise<Difference | undefined> {
  const result = 'x'.repeat(result_chars);
  const prompts: Record<'select' | 'engage', boolean> = { select: false, engage: false };
  const sees = (prompt: readonly { readonly text: string }[]) =>
    prompt.some(({ text }) => text.includes(result));
  let calls = 0;
  const performance = new Performance(
    graphWith(result_persistence),
    {},
    { opening: 'person' },
    {
      choose: ({ prompt }): PortOutput<'choose'> => {
        calls += 1;
        prompts.select = sees(prompt);
        const toolCalls = calls === 1 ? [{ name: toolId, arguments: {} }] : [];
        return { option: 'A1', toolCalls };
      },
      callTool: () => ({ result }),
      reply: ({ prompt }) => {
        prompts.engage = sees(prompt);
        return { text: 'So.' };
      },
    },
  );
  await performance.turn('hello', []);
  const failed = performance.events.some(({ type }) => type === 'turn.failed');
  return firstDifference(expected, {
    current_call: prompts.select,
    later_calls: prompts.engage,
    stored: performance.context.knowledge.results.length > 0,
    error: failed,
  });
}
