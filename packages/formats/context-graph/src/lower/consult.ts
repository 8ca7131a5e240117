import type { JsonObject, PortName } from '@dramaturg/compiler';
import type { ChartNode, ChartTransition } from '@dramaturg/compiler/chart';
import { calling, failTurn } from '@dramaturg/conversation';
import type { ToolList } from '../behaviour/meta.ts';
import type { ContextGraphOptions, ToolCallSpec } from '../definition.ts';
import { voidNode } from '../names.ts';
import type { EnteredGraph } from './entered-graph.ts';
import { action, guard, input } from './references.ts';

/** Which of the state's lists of tools the model may use. */
interface ToolParams extends JsonObject {
  readonly tools: ToolList;
}

/** A question to a model, with the tools it may use before it answers. */
interface Question {
  readonly port: PortName;
  /** Makes the input of the call. */
  readonly input: 'select' | 'decide' | 'reflect' | 'engage' | 'prepareCall';
  readonly params: ToolParams;
  readonly tools: readonly ToolCallSpec[];
  /** The transitions of its answers. Targets are ids, because the question may be a level deeper than the node. */
  readonly answers: readonly ChartTransition[];
}

/**
 * A node, or the inside of one, that asks a model. Without tools it is one call. With tools the model may request some of them
 * first. Each request is a call of its own, which is never repeated once it is answered. Then the model is asked again with the
 * results. Spec: docs/formats/context-graph.md#tools
 */
export function consult(
  { options }: EnteredGraph,
  { port, input: name, params, tools, answers }: Question,
): Pick<ChartNode, 'entry' | 'invoke' | 'initial' | 'states'> {
  const asking = (onDone: readonly ChartTransition[]) => ({
    entry: [action('countCall')],
    ...calling(port, input(name, params), onDone),
  });
  if (tools.length === 0) return asking(answers);
  return {
    initial: 'asking',
    states: {
      asking: asking([
        {
          target: 'calling',
          guard: guard('wantsTools', params),
          actions: [action('queueTools', params)],
        },
        ...answers,
      ]),
      calling: {
        entry: [action('countCall')],
        ...callingTool(options, 'useTool', {
          done: [tooLong(params), ...next('takeToolResult', params)],
          failed: next('takeToolError', params),
        }),
      },
    },
  };
}

/** A model whose answer was refused is asked once more. */
export function askAgain(
  node: string,
  refuse: 'refuseAnswer' | 'refuseArguments',
): ChartTransition {
  return {
    target: `#${node}`,
    reenter: true,
    guard: guard('mayAskAgain'),
    actions: [action(refuse)],
  };
}

/** A result that is too long to be kept fails the turn. */
export function tooLong(params: ToolParams): ChartTransition {
  return {
    target: `#${voidNode}`,
    guard: guard('isTooLong', params),
    actions: [action('failTooLong', params)],
  };
}

/** Leads to the next requested tool, or back to the model. */
function next(name: 'takeToolResult' | 'takeToolError', params: ToolParams): ChartTransition[] {
  return [
    {
      target: 'calling',
      reenter: true,
      guard: guard('hasMoreTools'),
      actions: [action(name, params)],
    },
    { target: 'asking', actions: [action(name, params)] },
  ];
}

/**
 * Calls a tool. A failed tool is a result for the model, or fails the turn. A call that a limit stopped has no result, so it fails
 * the turn.
 */
export function callingTool(
  { onToolError }: ContextGraphOptions,
  name: 'useTool' | 'callDesignated' | 'sendEmail',
  { done, failed }: Readonly<Record<'done' | 'failed', readonly ChartTransition[]>>,
): Pick<ChartNode, 'invoke'> {
  const [call] = calling('callTool', input(name), done).invoke;
  if (onToolError === 'abort-turn') return { invoke: [call] };
  const stopped = failTurn('callTool').map((one) => ({ ...one, guard: guard('isStoppedByLimit') }));
  return { invoke: [{ ...call, onError: [...stopped, ...failed] }] };
}

/** A tool call spec as stored in the meta of a node. */
export function toolMeta(
  { tool_id, additional_instruction, version_constraint, result_persistence }: ToolCallSpec,
  { tools }: ContextGraphOptions,
): JsonObject {
  const known = Object.hasOwn(tools, tool_id) ? tools[tool_id] : undefined;
  return {
    tool_id,
    name: known?.name ?? tool_id,
    description: [known?.description, additional_instruction].filter(Boolean).join(' '),
    parameters: known?.parameters ?? { type: 'object' },
    ...(version_constraint ? { version_constraint } : {}),
    result_persistence,
  };
}
