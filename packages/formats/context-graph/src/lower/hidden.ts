import type { JsonObject } from '@dramaturg/compiler';
import type { ChartNode, ChartTransition } from '@dramaturg/compiler/chart';
import type { ActionState, DecisionState, State } from '../definition.ts';
import { backNode, internal, stateNode } from '../names.ts';
import { askAgain, exitsMeta, exitTransitions, sharedMeta } from './action.ts';
import { addressOf, type EnteredGraph } from './entered-graph.ts';
import { hop, voided } from './hop.ts';
import { needOf, toolMeta } from './needs.ts';
import { action } from './references.ts';

type HiddenState = Exclude<State, ActionState>;

/**
 * A state that the person does not notice: it is passed on the way from one action state to another, once the turn has what the
 * state needs.
 */
export function lowerHidden(entered: EnteredGraph, state: HiddenState): ChartNode {
  const next = nextOf(entered, state);
  return {
    id: stateNode(addressOf(entered, state.name)),
    ...(needOf(entered, state) ? { on: { [internal.next]: next } } : { always: next }),
    meta: { ...sharedMeta(entered, state), ...metaOf(entered, state) },
  };
}

function metaOf(entered: EnteredGraph, state: HiddenState): JsonObject {
  const { options } = entered;
  const tools = 'tool_call_specs' in state && {
    tools: state.tool_call_specs.map((spec) => toolMeta(spec, options)),
  };
  switch (state.type) {
    case 'decision':
      return {
        objective: state.objective,
        decision_guidelines: state.decision_guidelines,
        exits: exitsMeta(entered, state.exit_conditions),
        ...tools,
      };
    case 'reflection':
      return {
        problem: state.problem,
        ...(state.word_limit === undefined ? {} : { word_limit: state.word_limit }),
        ...(options.wordLimit === 'cut' ? { cut: true } : {}),
        ...tools,
      };
    case 'recall':
      return { queries: state.queries, requested_information: state.requested_information };
    case 'annotation':
      return { inner_thought: state.inner_thought };
    case 'side-effect':
      return { side_effect: state.side_effect };
    case 'tool-call':
      return {
        designated: toolMeta(state.designated_tool!, options),
        objective: state.designated_tool_call_objective,
        context: state.designated_tool_call_context,
        guidances: state.designated_tool_call_guidances,
        validations: state.designated_tool_call_validations,
        ...tools,
      };
  }
}

function nextOf(entered: EnteredGraph, state: HiddenState): readonly ChartTransition[] {
  if (state.type === 'decision') return decided(entered, state);
  const isEvent = state.type === 'side-effect' && state.side_effect['type'] !== 'send-email';
  return hop(entered, state.next_state!, {
    ...(state.type === 'annotation' && { actions: [action('annotate')] }),
    // An event for the client is emitted with the turn; an e-mail is sent by a tool.
    ...(isEvent && { actions: [action('triggerEffect')] }),
  });
}

/** A decision must be left by one of its exits. */
function decided(entered: EnteredGraph, state: DecisionState): readonly ChartTransition[] {
  const { exit_conditions: exits } = state;
  const target = exits.at(-1)?.next_state;
  const { description = '' } = exits.at(-1) ?? {};
  if (!needOf(entered, state)) return hop(entered, target!, { follow: 'followAlone', description });
  const refuse = action('refuseAnswer');
  const actions = [refuse];
  const withoutExit = {
    fallback: [{ target: `#${backNode}`, actions: [refuse, action('fallBack')] }],
    'last-exit': target ? hop(entered, target, { actions, follow: 'followLast', description }) : [],
    error: [voided(refuse, action('failWithoutExit'))],
  };
  return [
    ...exitTransitions(entered, exits),
    askAgain('deciding'),
    ...withoutExit[entered.options.onNoExit],
  ];
}
