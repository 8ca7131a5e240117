import { defined } from '@dramaturg/conversation';
import type { Graph, ReadFields, State, Target, ToolCallSpec } from '../definition.ts';
import { type Need, shownState } from '../names.ts';
import { mapOf, mappedGraphs } from '../topology.ts';
import {
  addressOfTarget,
  endsSilently,
  type EnteredGraph,
  isCalled,
  isTerminal,
  originOf,
} from './entered-graph.ts';

/** What the nodes of a chart say of states and graphs, for guards and prompts. */

export type StateMeta = ReturnType<typeof metaOfState>;
export type ExitMeta = NonNullable<StateMeta['exits']>[number];
export type ToolMeta = NonNullable<StateMeta['designated']>;
export type GraphMeta = ReturnType<typeof metaOfGraph>;

/** A state with its fields, which depend on its type. */
export function metaOfState(entered: EnteredGraph, state: State) {
  const { name, type, at } = state;
  const silent = endsSilently(entered, state);
  const isLast = type === 'action' && !silent && isTerminal(entered, state);
  const fields: Partial<ReadFields> = silent ? {} : state;
  const { problem } = fields;
  const tool = (spec: ToolCallSpec) => metaOfTool(entered, spec);
  return {
    origin: originOf(entered, at),
    title: shownState(entered.path + name),
    type,
    ...defined({
      at: entered.referenceAt && at,
      /** What it needs first from the turn; absent when it is passed. */
      needs: needOf(entered, state),
      /** The agent says nothing in the terminal state of a referenced graph. */
      silent: silent || undefined,
      designated: fields.designated_tool && tool(fields.designated_tool),
      objective: fields.objective ?? fields.designated_tool_call_objective,
      context: fields.designated_tool_call_context,
      guidances: fields.designated_tool_call_guidances,
      validations: fields.designated_tool_call_validations,
      actions: fields.actions?.map((description, index) => ({
        id: optionId('A', index),
        description,
      })),
      decision_guidelines: fields.decision_guidelines,
      exits: fields.exit_conditions?.map(({ description, next_state: target }, index) => ({
        id: optionId('E', index),
        description,
        /** As written by the author. */
        next_state: target ? writtenTarget(target) : '',
        to: target ? addressOfTarget(entered, target) : '',
      })),
      intra_state_navigation_guidelines: fields.intra_state_navigation_guidelines,
      action_guidelines: fields.action_guidelines,
      boundary_constraints: fields.boundary_constraints,
      problem,
      word_limit: fields.word_limit,
      cut: (problem !== undefined && entered.options.wordLimit === 'cut') || undefined,
      queries: fields.queries,
      requested_information: fields.requested_information,
      inner_thought: fields.inner_thought,
      side_effect: fields.side_effect,
      action_tools: fields.action_tool_call_specs?.map(tool),
      exit_tools: fields.exit_condition_tool_call_specs?.map(tool),
      tools: fields.tool_call_specs?.map(tool),
      /** The calling graph takes the answer to the terminal state of a referenced graph. */
      returns: (isLast && isCalled(entered)) || undefined,
      /** The conversation ends with its message. */
      ends: (isLast && !isCalled(entered)) || undefined,
    }),
  };
}

/** The id of an option by its position: actions `A1`, `A2`, exits `E1`, `E2`. */
export function optionId(letter: 'A' | 'E', index: number): string {
  return `${letter}${index + 1}`;
}

/** A target in the spelling of authors, which a model may use. */
function writtenTarget(target: Target): string {
  if (target.kind === 'call') return `${target.reference}.${target.state}`;
  if (target.kind === 'other') return target.target;
  return target.kind === 'state' ? target.state : '';
}

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

/** A tool call spec as stored in the meta of a node. */
function metaOfTool({ options: { tools } }: EnteredGraph, spec: ToolCallSpec) {
  const { tool_id, additional_instruction, version_constraint, result_persistence } = spec;
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

/** A graph. Maps are long, so each is stored once, in the compiled graph. */
export function metaOfGraph(
  { graph, path, options, referenceAt }: EnteredGraph,
  maps: readonly Graph[],
) {
  const isRoot = path === '';
  return {
    origin: referenceAt ?? [],
    ...(isRoot ? {} : { title: path.split('/').at(-2)! }),
    description: graph.description,
    /** Its own map and those of its references, as indexes in `maps` of the compiled graph. */
    topology: mappedGraphs(graph).map(({ title, graph: mapped }) => ({
      title,
      map: maps.indexOf(mapped),
    })),
    global_intra_state_navigation_guidelines: graph.global_intra_state_navigation_guidelines,
    global_action_guidelines: graph.global_action_guidelines,
    global_boundary_constraints: graph.global_boundary_constraints,
    /** Only in the compiled graph: the maps of all graphs, and the limits of every turn. */
    ...(isRoot && {
      ...(graph.on_end && { on_end: graph.on_end }),
      maps: maps.map(mapOf),
      maxTransitionsPerTurn: options.maxTransitionsPerTurn,
      maxVisitsPerState: options.maxVisitsPerState,
    }),
  };
}
