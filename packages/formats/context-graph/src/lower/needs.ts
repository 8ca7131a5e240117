import type { JsonObject } from '@dramaturg/compiler';
import type { ToolList } from '../behaviour/meta.ts';
import type { ContextGraphOptions, State, ToolCallSpec } from '../definition.ts';
import type { Need } from '../names.ts';
import { endsSilently, type EnteredGraph } from './entered-graph.ts';

/** What a state needs first from the turn; undefined for a state that is passed. */
export function needOf(entered: EnteredGraph, state: State): Need | undefined {
  switch (state.type) {
    case 'action':
      if (endsSilently(entered, state)) return undefined;
      return state.skip_active_memory_retrieval ? 'selecting' : 'remembering';
    case 'decision': {
      // A single exit leaves nothing to decide, unless tools are to be used first.
      const { exit_conditions: exits, tool_call_specs: tools } = state;
      return exits.length === 1 && tools.length === 0 ? undefined : 'deciding';
    }
    case 'recall':
      return state.requested_information === '' ? 'recalling' : 'wording';
    case 'side-effect':
      return state.side_effect['type'] === 'send-email' ? 'mailing' : undefined;
    default:
      return needs[state.type];
  }
}

const needs = {
  annotation: undefined,
  reflection: 'reflecting',
  'tool-call': 'preparing',
} as const;

/** The lists in which a state has tools. */
export function toolListsOf(state: State): readonly ToolList[] {
  if (state.type !== 'action')
    return 'tool_call_specs' in state && state.tool_call_specs.length > 0 ? ['tools'] : [];
  const { action_tool_call_specs: own, exit_condition_tool_call_specs: ofExits } = state;
  return [
    ...(own.length > 0 ? (['action_tools'] as const) : []),
    ...(ofExits.length > 0 ? (['exit_tools'] as const) : []),
  ];
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
