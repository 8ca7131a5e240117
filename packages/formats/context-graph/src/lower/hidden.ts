import type { JsonObject } from '@dramaturg/compiler';
import type { ChartNode, ChartTransition } from '@dramaturg/compiler/chart';
import { calling } from '@dramaturg/conversation';
import type {
  AnnotationState,
  DecisionState,
  RecallState,
  ReflectionState,
  SideEffectState,
  State,
  ToolCallState,
} from '../definition.ts';
import { fallbackNode, stateNode, voidNode } from '../names.ts';
import { exitsMeta, exitTransitions, sharedMeta } from './action.ts';
import { askAgain, callingTool, consult, tooLong, toolMeta } from './consult.ts';
import { addressOf, type EnteredGraph } from './entered-graph.ts';
import { hop } from './hop.ts';
import { action, guard, input } from './references.ts';

/** A state that the person does not notice: it is passed on the way from one action state to another. */
export function lowerHidden(entered: EnteredGraph, state: State): ChartNode {
  const id = stateNode(addressOf(entered, state.name));
  const shared = sharedMeta(entered, state);
  const node = (inner: ChartNode, meta: JsonObject = {}): ChartNode => ({
    id,
    ...inner,
    meta: { ...shared, ...meta },
  });
  switch (state.type) {
    case 'action':
      throw new TypeError(`"${state.name}" is an action state.`);
    case 'decision':
      return node(decision(entered, state, id), {
        objective: state.objective,
        decision_guidelines: state.decision_guidelines,
        exits: exitsMeta(entered, state.exit_conditions),
        tools: state.tool_call_specs.map((spec) => toolMeta(spec, entered.options)),
      });
    case 'reflection':
      return node(reflection(entered, state), {
        problem: state.problem,
        ...(state.word_limit === undefined ? {} : { word_limit: state.word_limit }),
        ...(entered.options.wordLimit === 'cut' ? { cut: true } : {}),
        tools: state.tool_call_specs.map((spec) => toolMeta(spec, entered.options)),
      });
    case 'recall':
      return node(recall(entered, state), {
        queries: state.queries,
        requested_information: state.requested_information,
      });
    case 'annotation':
      return node(annotation(entered, state), { inner_thought: state.inner_thought });
    case 'side-effect':
      return node(sideEffect(entered, state), { side_effect: state.side_effect });
    case 'tool-call':
      return lowerToolCall(entered, state, id, shared);
  }
}

/** A decision must be left by one of its exits. A single exit leaves nothing to decide, unless tools are to be used first. */
function decision(entered: EnteredGraph, state: DecisionState, id: string): ChartNode {
  const { exit_conditions: exits, tool_call_specs: tools } = state;
  const [only, ...others] = exits;
  if (only?.next_state && others.length === 0 && tools.length === 0)
    return {
      always: hop(entered, only.next_state, {
        follow: 'followAlone',
        description: only.description,
      }),
    };
  return consult(entered, {
    port: 'choose',
    input: 'decide',
    params: { tools: 'tools' },
    tools,
    answers: [
      ...exitTransitions(entered, exits),
      askAgain(id, 'refuseAnswer'),
      ...withoutExit(entered, state),
    ],
  });
}

/** The transition after the model has named no exit twice. */
function withoutExit(
  entered: EnteredGraph,
  { exit_conditions: exits }: DecisionState,
): ChartTransition[] {
  const last = exits.at(-1);
  const refuse = action('refuseAnswer');
  switch (entered.options.onNoExit) {
    case 'fallback':
      return [{ target: `#${fallbackNode}`, actions: [refuse, action('fallBack')] }];
    case 'last-exit':
      return last?.next_state
        ? hop(entered, last.next_state, {
            actions: [refuse],
            follow: 'followLast',
            description: last.description,
          })
        : [];
    case 'error':
      return [{ target: `#${voidNode}`, actions: [refuse, action('failWithoutExit')] }];
  }
}

function reflection(
  entered: EnteredGraph,
  { next_state: next, tool_call_specs: tools }: ReflectionState,
) {
  return consult(entered, {
    port: 'think',
    input: 'reflect',
    params: { tools: 'tools' },
    tools,
    answers: hop(entered, next!, { actions: [action('takeThought')] }),
  });
}

/** A recall. A query is performed once in a conversation; a recall without new queries is skipped. */
function recall(
  entered: EnteredGraph,
  { next_state: next, requested_information }: RecallState,
): ChartNode {
  const recalling: ChartNode = {
    entry: [action('countCall')],
    always: hop(entered, next!, { guard: 'hasNothingNew' }),
    ...calling(
      'recall',
      input('performQueries'),
      hop(entered, next!, { actions: [action('takeRecalled')] }),
    ),
  };
  if (requested_information === '') return recalling;
  return {
    initial: 'wording',
    states: {
      wording: {
        entry: [action('countCall')],
        ...calling('extract', input('wordQueries'), [
          { target: 'recalling', actions: [action('takeQueries')] },
        ]),
      },
      recalling,
    },
  };
}

function annotation(entered: EnteredGraph, { next_state: next }: AnnotationState): ChartNode {
  return { always: hop(entered, next!, { actions: [action('annotate')] }) };
}

/** A side effect. An event for the client is emitted with the turn; an e-mail is sent by a tool. */
function sideEffect(
  entered: EnteredGraph,
  { next_state: next, side_effect: effect }: SideEffectState,
): ChartNode {
  if (effect['type'] !== 'send-email')
    return { always: hop(entered, next!, { actions: [action('triggerEffect')] }) };
  return {
    entry: [action('countCall')],
    ...callingTool(entered.options, 'sendEmail', {
      done: hop(entered, next!, { actions: [action('takeEmailSent')] }),
      failed: hop(entered, next!, { actions: [action('takeEmailFailed')] }),
    }),
  };
}

/**
 * Calls its designated tool on the way: a model builds the arguments, again if they fail a validation, and then the tool is
 * called. `next_state` is the only exit, so the result also contains errors. Spec: docs/formats/context-graph.md#tool-call-states
 */
function lowerToolCall(
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
        ...consult(entered, {
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
            askAgain(preparing, 'refuseArguments'),
            ...hop(entered, next, {
              actions: [action('refuseArguments'), action('giveUpCall')],
            }),
          ],
        }),
      },
      calling: {
        id: `${id}:calling`,
        entry: [action('countCall')],
        ...callingTool(options, 'callDesignated', {
          done: [
            tooLong({ tools: 'designated' }),
            ...hop(entered, next, { actions: [action('takeDesignatedResult')] }),
          ],
          failed: hop(entered, next, { actions: [action('takeDesignatedError')] }),
        }),
      },
    },
  };
}
