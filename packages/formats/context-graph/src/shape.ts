import { isRecord, type JsonObject } from '@dramaturg/compiler';
import type { EditorSchema, Recognition } from '@dramaturg/compiler/format';
import {
  decides,
  described,
  fieldsOfType,
  nullish,
  optional,
  shapeByValue,
  unknownDefinitionsOption,
  withValues,
} from '@dramaturg/compiler/shapes';
import { recognition } from '@dramaturg/conversation';
import * as z from 'zod/mini';

/**
 * The shape of a context graph as authored. One shape is for states of all types. Which fields a type needs is a rule
 * (`missing-field`), because the seed requires less than the later API, and the profile `lenient` less than the seed. Spec:
 * docs/formats/context-graph.md
 */
const text = fieldsOfType(z.string());
const flag = fieldsOfType(z.boolean());
const number = fieldsOfType(z.number());
const texts = fieldsOfType(z.array(text.type));

/** A state's name, `["reference.state", "jumpback"]`, or another target; check/bad-targets.ts checks lists. */
const nextState = z.union([text.type, z.array(z.unknown())]);

const otherTarget = {
  outcome: text.nullish('With the target "__end__": the outcome; completed by default.', decides),
  reason: text.nullish('With the target "__human__": why a person is needed.'),
};

const exitCondition = z
  .object({
    description: text.required('When to take the exit, in a sentence that a model judges.'),
    next_state: described(
      nextState,
      'The state that it leads to, or ["reference.state", "jumpback"]; or "__end__", "__human__" (a person takes over), "__restart__" (everything from the beginning).',
    ),
    ...otherTarget,
    filler_hint: text.nullish('For voice; it has no effect here.'),
  })
  .check(decides);

const toolCallSpec = z
  .object({
    tool_id: text.required('The tool.'),
    version_constraint: text.nullish('Which versions of the tool are accepted.', decides),
    additional_instruction: text.nullish('When and how to use the tool here.'),
    audio_fillers: texts.nullish('For voice; it has no effect here.'),
    audio_filler_triggered_after: number.nullish('For voice; it has no effect here.'),
    result_persistence: nullish(
      z.enum(['ephemeral', 'persisted-preferred', 'persisted']),
      'How long the result is kept.',
      decides,
    ),
  })
  .check(decides);
const toolCallSpecs = z.nullish(z.array(toolCallSpec));

const sideEffect = z.object({
  type: described(z.enum(['emit-event', 'send-email']), 'What is done.'),
  event_name: text.nullish('The name of the event, of emit-event.'),
  subject: text.nullish('The subject, of send-email.'),
  body_template_text: text.nullish('The text, of send-email.'),
  recipients: texts.nullish('The recipients, of send-email.'),
  sender: text.nullish('The sender, of send-email.'),
});

const authoredState = z.object({
  type: text.optional(
    'What the state does: action, decision, reflection, recall, annotation, side-effect or tool-call.',
  ),
  name: text.optional('Unique in the graph: letters, digits and underscores.'),
  objective: text.optional('What the state is to achieve.'),
  actions: optional(
    z.array(
      z.union([text.type, z.object({ description: text.required('The action in a sentence.') })]),
    ),
    'What the agent can do here, in sentences.',
  ),
  intra_state_navigation_guidelines: texts.nullish('How to choose among the actions.'),
  action_guidelines: texts.nullish('How to carry out the actions.'),
  boundary_constraints: texts.nullish('What the agent must not do.', decides),
  decision_guidelines: texts.nullish('How to decide.'),
  exit_conditions: nullish(z.array(exitCondition), 'Where the state leads, and when.'),
  action_tool_call_specs: described(toolCallSpecs, 'The tools of the actions.', decides),
  exit_condition_tool_call_specs: described(
    toolCallSpecs,
    'The tools for choosing an exit.',
    decides,
  ),
  tool_call_specs: described(toolCallSpecs, 'The tools of the state.', decides),
  skip_active_memory_retrieval: flag.nullish(
    'Whether the state remembers nothing when it is entered.',
    decides,
  ),
  problem: text.optional('What a reflection thinks about.'),
  word_limit: nullish(z.int().check(z.positive()), 'The length of the thought.', decides),
  queries: texts.nullish('What a recall looks up.'),
  requested_information: text.nullish('What a recall looks for; a model writes the queries.'),
  inner_thought: text.optional('The thought of an annotation.'),
  side_effect: optional(sideEffect, 'The event or the mail of a side-effect state.'),
  designated_tool: optional(toolCallSpec, 'The tool that a tool-call state runs.'),
  designated_tool_call_objective: text.optional('What the call is for.'),
  designated_tool_call_context: text.optional('What the model knows about the call.'),
  designated_tool_call_guidances: texts.nullish('How to build the arguments.'),
  designated_tool_call_validations: texts.nullish('What the arguments have to fulfil.', decides),
  next_state: optional(
    nextState,
    'The state that comes next, or ["reference.state", "jumpback"]; or "__end__", "__human__", "__restart__".',
  ),
  ...otherTarget,
  audio_fillers: texts.nullish('For voice; it has no effect here.'),
  audio_filler_triggered_after: number.nullish('For voice; it has no effect here.'),
});

/** `[graph id, version]`: 24 lower-case hex digits and a whole number. */
const reference = z.tuple([
  z.string().check(z.regex(/^[0-9a-f]{24}$/, 'a graph id of 24 lower-case hex digits')),
  z.int(),
]);

export const graphFields = {
  name: text.optional('The id of the graph.'),
  description: text.optional('What the service is and how it works; part of every prompt.'),
  new_user_initial_state: text.required('The action state in which a conversation begins.'),
  returning_user_initial_state: text.required(
    'The action state in which the conversation of a returning person begins.',
  ),
  terminal_state: text.required('The action state in which it ends: one action and no exits.'),
  references: nullish(
    z.record(z.string(), reference),
    'Other graphs by their names here: ["<id>", <version>].',
  ),
  global_intra_state_navigation_guidelines: texts.nullish(
    'Navigation guidelines of every action state.',
  ),
  global_action_guidelines: texts.nullish('Action guidelines of every action state.'),
  global_boundary_constraints: texts.nullish(
    'Boundary constraints of every action state.',
    decides,
  ),
  on_end: nullish(
    z.object({
      start: text.optional('The definition that is started, such as "workflow:report".'),
      input: nullish(
        z.record(z.string(), z.unknown()),
        'What it gets; "{{state}}" stands for the last state, "{{outcome}}" for the outcome, "{{reason}}" for the reason of the agent.',
      ),
      outcomes: texts.nullish(
        'The outcomes after which it is started; all except cancelled by default.',
      ),
    }),
    'What is started when the conversation has ended.',
  ),
  topology_description: text.nullish('Shown to models instead of the map of the graph.'),
};

/** The shape that fits a value: `states` as a list, or as an object keyed by name. */
export function shapeOf(value: unknown): z.ZodMiniType {
  if (isBareState(value)) return z.unknown();
  const states = isRecord(value) ? value['states'] : undefined;
  // JSON allows the key `__proto__`, but a schema does not. Normalising rejects it.
  const keys = Object.keys(Object(states)).filter((key) => key !== '__proto__');
  const keyed = isRecord(states)
    ? z.object(Object.fromEntries(keys.map((key) => [key, authoredState])))
    : z.array(authoredState);
  return z.object({ ...graphFields, states: keyed });
}

/** The description of a tool for models and people. A graph names a tool only by its id. */
const toolDescription = z.strictObject({
  name: z.optional(z.string()),
  description: z.optional(z.string()),
  parameters: z.optional(z.record(z.string(), z.json())),
});

/** The letter of targets that are not states. */
export const otherLetter = 'X';

/** The types of states, each with its letter in topologies and traces. Spec: docs/formats/context-graph.md#letters */
export const letters = {
  action: 'A',
  decision: 'D',
  reflection: 'R',
  recall: 'C',
  annotation: 'N',
  'side-effect': 'S',
  'tool-call': 'T',
} as const;

export type StateType = keyof typeof letters;

export const stateTypes: readonly string[] = Object.keys(letters);

/** How a graph is compiled. Spec: docs/formats/context-graph.md#options */
export const contextGraphOptions = z.strictObject({
  /** `lenient` reads missing lists of an action state as empty; `strict` turns two warnings into errors. */
  profile: z._default(z.enum(['standard', 'lenient', 'strict']), 'standard'),
  maxTransitionsPerTurn: z._default(z.int().check(z.positive(), z.lte(1_000)), 25),
  maxVisitsPerState: z._default(z.int().check(z.positive(), z.lte(1_000)), 3),
  /** The result of a transition that exceeds a limit: the latest action state, or a void turn. */
  onLimit: z._default(z.enum(['fallback', 'error']), 'fallback'),
  /** The result of a decision when the model twice names none of its exits. */
  onNoExit: z._default(z.enum(['fallback', 'last-exit', 'error']), 'fallback'),
  /** Whether a referenced graph ends without a word, or its terminal state speaks and waits before the jumpback. */
  childTerminal: z._default(z.enum(['silent', 'speak']), 'silent'),
  /** After this many messages, the older half of them is replaced by a summary. Off by default. */
  summariseAfter: z.optional(z.int().check(z.gte(4))),
  onToolError: z._default(z.enum(['continue', 'abort-turn']), 'continue'),
  /** Whether a reflection longer than its `word_limit` is cut. */
  wordLimit: z._default(z.enum(['advise', 'cut']), 'advise'),
  /** Graphs that `references` name: by `id@version`, by id, or by the reference's name. */
  graphs: z._default(z.record(z.string(), z.json()), {}),
  unknownDefinitions: unknownDefinitionsOption,
  /** Descriptions of the tools, by `tool_id`. */
  tools: z._default(z.record(z.string(), toolDescription), {}),
});

export type ContextGraphOptions = z.infer<typeof contextGraphOptions>;

export function isStateType(value: unknown): value is StateType {
  return typeof value === 'string' && Object.hasOwn(letters, value);
}

/** Whether the value is one state without a graph: as in documentation, with its name inside or as its only key. */
export function isBareState(value: unknown): boolean {
  if (!isRecord(value) || Object.hasOwn(value, 'states')) return false;
  if (looksLikeState(value)) return true;
  const parts = Object.values(value);
  return parts.length > 0 && parts.every(looksLikeState);
}

function looksLikeState(value: unknown): boolean {
  return (
    isRecord(value) &&
    isStateType(value['type']) &&
    (Array.isArray(value['exit_conditions']) ||
      typeof value['next_state'] === 'string' ||
      Array.isArray(value['next_state']))
  );
}

const roles = ['new_user_initial_state', 'returning_user_initial_state', 'terminal_state'];
const globals = [
  'global_intra_state_navigation_guidelines',
  'global_action_guidelines',
  'global_boundary_constraints',
];

/** Judges by shape whether a value is a context graph, or a state of one. */
export function recognise(value: unknown): Recognition {
  if (isBareState(value)) return { matches: true, signs: ['the "type" and the exits of a state'] };
  if (!isRecord(value)) return { matches: false, because: 'it is not an object' };
  const states: unknown = value['states'];
  if (typeof states !== 'object' || states === null)
    return { matches: false, because: 'it has no "states"' };
  const signs = [...roles, ...globals]
    .filter((field) => typeof value[field] === 'string' || Array.isArray(value[field]))
    .map((field) => `"${field}"`);
  if (Object.values(states).some(looksLikeState))
    signs.push('the "type" and the exits of its states');
  return recognition(
    signs,
    'it has no "new_user_initial_state", and none of its states is of a type such as "action"',
  );
}

/** The test of `looksLikeState` as a schema. */
const bareState: JsonObject = {
  type: 'object',
  required: ['type'],
  properties: { type: { enum: [...stateTypes] } },
  anyOf: [
    { required: ['exit_conditions'], properties: { exit_conditions: { type: 'array' } } },
    { required: ['next_state'], properties: { next_state: { type: ['string', 'array'] } } },
  ],
};

/** A graph with a list of states or with an object of them; one state alone may have any form. */
export const contextGraphSchema: EditorSchema = {
  name: 'context-graph',
  title: 'Context graph',
  description: 'Action states that talk, and hidden states that decide, reflect and remember.',
  shape: shapeByValue([
    {
      when: {
        type: 'object',
        not: { required: ['states'] },
        anyOf: [
          bareState,
          {
            properties: { $schema: { type: 'string' } },
            minProperties: 1,
            additionalProperties: bareState,
          },
        ],
      },
      shape: z.unknown(),
    },
    {
      shape: z.object({
        ...graphFields,
        states: shapeByValue([
          { when: { type: 'object' }, shape: z.record(z.string(), authoredState) },
          { shape: z.array(authoredState) },
        ]).check(z.describe('The states: a list with names, or an object keyed by name.')),
      }),
    },
  ]),
  adapt: (schema) => withValues(schema, { type: stateTypes }),
};
