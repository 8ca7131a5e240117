import type { JsonObject } from '@dramaturg/compiler';

/** Small definitions for tests, in the spelling of the list form. */

export function graphOf(...states: JsonObject[]): JsonObject {
  const names = states.map(({ name }) => name as string);
  return {
    description: 'A graph.',
    new_user_initial_state: names[0]!,
    returning_user_initial_state: names[0]!,
    terminal_state: names.at(-1)!,
    references: {},
    global_intra_state_navigation_guidelines: [],
    global_action_guidelines: [],
    global_boundary_constraints: [],
    states,
  };
}

/** An action state with the given number of actions, and its exits. */
export function action(
  name: string,
  actions: readonly string[],
  exits: readonly JsonObject[] = [],
  more: JsonObject = {},
): JsonObject {
  return {
    type: 'action',
    name,
    objective: `Do ${name}`,
    actions,
    intra_state_navigation_guidelines: [],
    action_guidelines: [],
    boundary_constraints: [],
    exit_conditions: exits,
    ...more,
  };
}

/** An exit by its target; pairs are written `reference.state > jumpback`. */
export function exit(target: string, description = `Go to ${target}`): JsonObject {
  const [entry = '', jumpback] = target.split(' > ');
  return { description, next_state: jumpback === undefined ? entry : [entry, jumpback] };
}

export function decision(
  name: string,
  exits: readonly JsonObject[],
  more: JsonObject = {},
): JsonObject {
  return {
    type: 'decision',
    name,
    objective: `Decide ${name}`,
    decision_guidelines: [],
    exit_conditions: exits,
    tool_call_specs: [],
    ...more,
  };
}

export function reflection(name: string, next_state: string, more: JsonObject = {}): JsonObject {
  return {
    type: 'reflection',
    name,
    problem: `Think about ${name}`,
    word_limit: 50,
    next_state,
    ...more,
  };
}

export function recall(name: string, next_state: string, what: JsonObject): JsonObject {
  return { type: 'recall', name, queries: null, requested_information: null, next_state, ...what };
}

export function annotation(name: string, next_state: string): JsonObject {
  return { type: 'annotation', name, inner_thought: `Note ${name}`, next_state };
}

export function tool(persistence: string, tool_id = '0123456789abcdef01234567'): JsonObject {
  return {
    tool_id,
    version_constraint: '>=1',
    additional_instruction: 'Look it up',
    result_persistence: persistence,
  };
}

export function toolCall(
  name: string,
  next_state: string,
  persistence = 'persisted',
  more: JsonObject = {},
): JsonObject {
  return {
    type: 'tool-call',
    name,
    next_state,
    designated_tool: tool(persistence),
    designated_tool_call_objective: 'Know it',
    designated_tool_call_context: 'It is not known',
    designated_tool_call_guidances: [],
    designated_tool_call_validations: [],
    tool_call_specs: [],
    ...more,
  };
}

export function sideEffect(name: string, next_state: string, effect: JsonObject): JsonObject {
  return { type: 'side-effect', name, side_effect: effect, next_state };
}
