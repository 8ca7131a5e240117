import type { JsonObject } from '@dramaturg/compiler';
import type { ChartNode } from '@dramaturg/compiler/chart';
import type { ToolCallState } from '../definition.ts';
import { voidNode } from '../names.ts';
import { consult, toolFailure, toolMeta } from './consult.ts';
import { hop } from './hop.ts';
import type { EnteredGraph } from './entered-graph.ts';
import { action, guard, input } from './references.ts';

/**
 * Calls its designated tool on the way: a model builds the arguments, once more when it finds that they fail a
 * validation, and then the tool is called. There is no way on but `next_state`, so what goes wrong is said in the result.
 * Spec: docs/formats/context-graph.md#tool-call-states
 */
export function lowerToolCall(
  entered: EnteredGraph,
  state: ToolCallState,
  id: string,
  shared: JsonObject,
): ChartNode {
  const { options } = entered;
  const next = state.next_state!;
  const preparing = `${id}:preparing`;
  return {
    id,
    initial: 'preparing',
    meta: {
      ...shared,
      designated: toolMeta(state.designated_tool!, options),
      objective: state.designated_tool_call_objective,
      context: state.designated_tool_call_context,
      guidances: state.designated_tool_call_guidances,
      validations: state.designated_tool_call_validations,
      tools: state.tool_call_specs.map((spec) => toolMeta(spec, options)),
    },
    states: {
      preparing: {
        id: preparing,
        ...consult(
          {
            port: 'extract',
            input: 'prepareCall',
            params: { tools: 'tools' },
            tools: state.tool_call_specs,
            answers: [
              {
                target: `#${id}:calling`,
                guard: guard('hasArguments'),
                actions: [action('takeArguments')],
              },
              {
                target: `#${preparing}`,
                reenter: true,
                guard: guard('mayAskAgain'),
                actions: [action('refuseArguments')],
              },
              ...hop(entered, next, {
                actions: [action('refuseArguments'), action('giveUpCall')],
              }),
            ],
          },
          options,
        ),
      },
      calling: {
        id: `${id}:calling`,
        entry: [action('countCall')],
        invoke: [
          {
            id: 'callTool',
            src: 'callTool',
            input: input('callDesignated'),
            onDone: [
              {
                target: `#${voidNode}`,
                guard: guard('isTooLong', { tools: 'designated' }),
                actions: [action('failTooLong', { tools: 'designated' })],
              },
              ...hop(entered, next, { actions: [action('takeDesignatedResult')] }),
            ],
            onError: toolFailure(
              options,
              hop(entered, next, { actions: [action('takeDesignatedError')] }),
            ),
          },
        ],
      },
    },
  };
}
