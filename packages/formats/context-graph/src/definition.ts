import { isRecord, type JsonObject, type Path } from '@dramaturg/compiler';
import type { Problem, Rule } from '@dramaturg/compiler/format';
import {
  decides,
  described,
  nullish,
  optional,
  unknownDefinitionsOption,
} from '@dramaturg/compiler/shapes';
import type { OnEnd, OtherTarget } from '@dramaturg/conversation';
import * as z from 'zod/mini';

/**
 * The shape of a context graph as authored. One shape is for states of all types. Which fields a type needs is a rule
 * (`missing-field`), because the seed requires less than the later API, and the profile `lenient` less than the seed. Spec:
 * docs/formats/context-graph.md
 */
const text = z.string();
const texts = z.array(text);

/** A state's name, `["reference.state", "jumpback"]`, or another target; check/bad-targets.ts checks lists. */
const nextState = z.union([text, z.array(z.unknown())]);

const otherTarget = {
  outcome: nullish(text, 'With the target "__end__": the outcome; completed by default.', decides),
  reason: nullish(text, 'With the target "__human__": why a person is needed.'),
};

const exitCondition = z
  .object({
    description: described(text, 'When to take the exit, in a sentence that a model judges.'),
    next_state: described(
      nextState,
      'The state that it leads to, or ["reference.state", "jumpback"]; or "__end__", "__human__" (a person takes over), "__restart__" (everything from the beginning).',
    ),
    ...otherTarget,
    filler_hint: nullish(text, 'For voice; it has no effect here.'),
  })
  .check(decides);

const toolCallSpec = z
  .object({
    tool_id: described(text, 'The tool.'),
    version_constraint: nullish(text, 'Which versions of the tool are accepted.', decides),
    additional_instruction: nullish(text, 'When and how to use the tool here.'),
    audio_fillers: nullish(texts, 'For voice; it has no effect here.'),
    audio_filler_triggered_after: nullish(z.number(), 'For voice; it has no effect here.'),
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
  event_name: nullish(text, 'The name of the event, of emit-event.'),
  subject: nullish(text, 'The subject, of send-email.'),
  body_template_text: nullish(text, 'The text, of send-email.'),
  recipients: nullish(texts, 'The recipients, of send-email.'),
  sender: nullish(text, 'The sender, of send-email.'),
});

export const authoredState = z.object({
  type: optional(
    text,
    'What the state does: action, decision, reflection, recall, annotation, side-effect or tool-call.',
  ),
  name: optional(text, 'Unique in the graph: letters, digits and underscores.'),
  objective: optional(text, 'What the state is to achieve.'),
  actions: optional(
    z.array(
      z.union([text, z.object({ description: described(text, 'The action in a sentence.') })]),
    ),
    'What the agent can do here, in sentences.',
  ),
  intra_state_navigation_guidelines: nullish(texts, 'How to choose among the actions.'),
  action_guidelines: nullish(texts, 'How to carry out the actions.'),
  boundary_constraints: nullish(texts, 'What the agent must not do.', decides),
  decision_guidelines: nullish(texts, 'How to decide.'),
  exit_conditions: nullish(z.array(exitCondition), 'Where the state leads, and when.'),
  action_tool_call_specs: described(toolCallSpecs, 'The tools of the actions.', decides),
  exit_condition_tool_call_specs: described(
    toolCallSpecs,
    'The tools for choosing an exit.',
    decides,
  ),
  tool_call_specs: described(toolCallSpecs, 'The tools of the state.', decides),
  skip_active_memory_retrieval: nullish(
    z.boolean(),
    'Whether the state remembers nothing when it is entered.',
    decides,
  ),
  problem: optional(text, 'What a reflection thinks about.'),
  word_limit: nullish(z.int().check(z.positive()), 'The length of the thought.', decides),
  queries: nullish(texts, 'What a recall looks up.'),
  requested_information: nullish(text, 'What a recall looks for; a model writes the queries.'),
  inner_thought: optional(text, 'The thought of an annotation.'),
  side_effect: optional(sideEffect, 'The event or the mail of a side-effect state.'),
  designated_tool: optional(toolCallSpec, 'The tool that a tool-call state runs.'),
  designated_tool_call_objective: optional(text, 'What the call is for.'),
  designated_tool_call_context: optional(text, 'What the model knows about the call.'),
  designated_tool_call_guidances: nullish(texts, 'How to build the arguments.'),
  designated_tool_call_validations: nullish(texts, 'What the arguments have to fulfil.', decides),
  next_state: optional(
    nextState,
    'The state that comes next, or ["reference.state", "jumpback"]; or "__end__", "__human__", "__restart__".',
  ),
  ...otherTarget,
  audio_fillers: nullish(texts, 'For voice; it has no effect here.'),
  audio_filler_triggered_after: nullish(z.number(), 'For voice; it has no effect here.'),
});

/** `[graph id, version]`: 24 lower-case hex digits and a whole number. */
const reference = z.tuple([
  z.string().check(z.regex(/^[0-9a-f]{24}$/, 'a graph id of 24 lower-case hex digits')),
  z.int(),
]);

export const graphFields = {
  name: optional(text, 'The id of the graph.'),
  description: optional(text, 'What the service is and how it works; part of every prompt.'),
  new_user_initial_state: described(text, 'The action state in which a conversation begins.'),
  returning_user_initial_state: described(
    text,
    'The action state in which the conversation of a returning person begins.',
  ),
  terminal_state: described(text, 'The action state in which it ends: one action and no exits.'),
  references: nullish(
    z.record(z.string(), reference),
    'Other graphs by their names here: ["<id>", <version>].',
  ),
  global_intra_state_navigation_guidelines: nullish(
    texts,
    'Navigation guidelines of every action state.',
  ),
  global_action_guidelines: nullish(texts, 'Action guidelines of every action state.'),
  global_boundary_constraints: nullish(
    texts,
    'Boundary constraints of every action state.',
    decides,
  ),
  on_end: nullish(
    z.object({
      start: optional(text, 'The definition that is started, such as "workflow:report".'),
      input: nullish(
        z.record(z.string(), z.unknown()),
        'What it gets; "{{state}}" stands for the last state, "{{outcome}}" for the outcome, "{{reason}}" for the reason of the agent.',
      ),
      outcomes: nullish(
        texts,
        'The outcomes after which it is started; all except cancelled by default.',
      ),
    }),
    'What is started when the conversation has ended.',
  ),
  topology_description: nullish(text, 'Shown to models instead of the map of the graph.'),
};

/** The shape that fits a value: `states` as a list, or as an object keyed by name. */
export function shapeOf(value: unknown): z.ZodMiniType {
  if (isBareState(value)) return z.unknown();
  const states = isRecord(value) ? value['states'] : undefined;
  const keyed = isRecord(states)
    ? z.object(Object.fromEntries(stateKeys(states).map((key) => [key, authoredState])))
    : z.array(authoredState);
  return z.object({ ...graphFields, states: keyed });
}

/** JSON allows the key `__proto__`, but a schema does not. Normalising rejects it. */
function stateKeys(states: Record<string, unknown>): string[] {
  return Object.keys(states).filter((key) => key !== '__proto__');
}

/** A graph in one spelling, all defaults filled in. `at` is the path of a part in the definition as authored. */
export interface Graph {
  readonly name: string;
  readonly description: string;
  readonly new_user_initial_state: string;
  readonly returning_user_initial_state: string;
  readonly terminal_state: string;
  readonly references: readonly GraphReference[];
  /** False when "references" is not an object, so that the references are unknown. */
  readonly areReferencesRead: boolean;
  readonly global_intra_state_navigation_guidelines: readonly string[];
  readonly global_action_guidelines: readonly string[];
  readonly global_boundary_constraints: readonly string[];
  /** The author's own map, shown to models instead of the rendered one. */
  readonly topology_description: string;
  readonly on_end?: OnEnd | undefined;
  readonly states: readonly State[];
  /** Some states have unreadable names, which is reported. */
  readonly hasNameless: boolean;
  /** Names of states that have another key; this is reported. */
  readonly otherNames: readonly string[];
  /** The text is one state without a graph. This is then the only finding. */
  readonly isBare: boolean;
}

export interface GraphReference {
  readonly name: string;
  readonly id: string;
  readonly version: number;
  /** The graph itself, if it was given. */
  readonly graph: Graph | undefined;
  /** The problems of its text. They have no paths, because they are in another text. */
  readonly problems: readonly Problem[];
  /** Other versions of the graph that were given. */
  readonly otherVersions: readonly string[];
  /** Why it was not resolved although it was given: it leads back to a graph that enters it, or is nested too deeply. */
  readonly refused: 'cycle' | 'too deep' | undefined;
  readonly at: Path;
}

interface StateOf<Type extends StateType> {
  readonly type: Type;
  readonly name: string;
  readonly at: Path;
  /** Where the name is written; it is a key when `states` is keyed. */
  readonly nameAt: Path;
}

export interface ActionState extends StateOf<'action'> {
  readonly objective: string;
  readonly actions: readonly string[];
  readonly intra_state_navigation_guidelines: readonly string[];
  readonly action_guidelines: readonly string[];
  readonly boundary_constraints: readonly string[];
  readonly exit_conditions: readonly ExitCondition[];
  readonly action_tool_call_specs: readonly ToolCallSpec[];
  readonly exit_condition_tool_call_specs: readonly ToolCallSpec[];
  readonly skip_active_memory_retrieval: boolean;
}

export interface DecisionState extends StateOf<'decision'> {
  readonly objective: string;
  readonly decision_guidelines: readonly string[];
  readonly exit_conditions: readonly ExitCondition[];
  readonly tool_call_specs: readonly ToolCallSpec[];
}

/** A state with a single exit. */
interface PassingState<Type extends StateType> extends StateOf<Type> {
  /** Undefined when it is missing, which is reported. */
  readonly next_state: Target | undefined;
}

export interface ReflectionState extends PassingState<'reflection'> {
  readonly problem: string;
  readonly word_limit: number | undefined;
  readonly tool_call_specs: readonly ToolCallSpec[];
}

export interface RecallState extends PassingState<'recall'> {
  readonly queries: readonly string[];
  readonly requested_information: string;
}

export interface AnnotationState extends PassingState<'annotation'> {
  readonly inner_thought: string;
}

export interface SideEffectState extends PassingState<'side-effect'> {
  readonly side_effect: JsonObject;
}

export interface ToolCallState extends PassingState<'tool-call'> {
  readonly designated_tool: ToolCallSpec | undefined;
  readonly designated_tool_call_objective: string;
  readonly designated_tool_call_context: string;
  readonly designated_tool_call_guidances: readonly string[];
  readonly designated_tool_call_validations: readonly string[];
  readonly tool_call_specs: readonly ToolCallSpec[];
}

export type State =
  | ActionState
  | DecisionState
  | ReflectionState
  | RecallState
  | AnnotationState
  | SideEffectState
  | ToolCallState;

export interface ExitCondition {
  readonly description: string;
  readonly next_state: Target | undefined;
  readonly at: Path;
}

/** Where `next_state` leads. */
export type Target = OtherTarget &
  (
    | { readonly kind: 'state'; readonly state: string; readonly at: Path }
    /** Leads into another graph, and to `jumpback` once that graph's terminal state is reached. */
    | {
        readonly kind: 'call';
        readonly reference: string;
        readonly state: string;
        readonly jumpback: string;
        readonly at: Path;
      }
    /** The end, a person, or the beginning. */
    | { readonly kind: 'other'; readonly target: string; readonly at: Path }
    | { readonly kind: 'malformed'; readonly at: Path }
  );

export type ResultPersistence = 'ephemeral' | 'persisted-preferred' | 'persisted';

export interface ToolCallSpec {
  readonly tool_id: string;
  readonly version_constraint: string;
  readonly additional_instruction: string;
  readonly result_persistence: ResultPersistence;
  readonly at: Path;
}

/** The outcomes of a graph: those of every conversation, and its author's own. */
export function outcomesOf({ states, references }: Graph): string[] {
  const own = states.flatMap(targetsOf).flatMap(({ outcome }) => outcome ?? []);
  const others = references.flatMap(({ graph }) => (graph ? outcomesOf(graph) : []));
  return [...new Set(['completed', 'cancelled', 'ended_by_agent', ...own, ...others])];
}

/** The exits of a state: its conditions, or its single exit. */
export function targetsOf(state: State): readonly Target[] {
  const written = 'exit_conditions' in state ? state.exit_conditions : [state];
  return written.flatMap(({ next_state: target }) => target ?? []);
}

/** The letter of targets that are not states. */
export const otherLetter = 'X';

/** The letter of a type in topologies and traces. Spec: docs/formats/context-graph.md#letters */
export const letters: Readonly<Record<StateType, string>> = {
  action: 'A',
  decision: 'D',
  reflection: 'R',
  recall: 'C',
  annotation: 'N',
  'side-effect': 'S',
  'tool-call': 'T',
};

/** The description of a tool for models and people. A graph names a tool only by its id. */
const toolDescription = z.strictObject({
  name: z.optional(z.string()),
  description: z.optional(z.string()),
  parameters: z.optional(z.record(z.string(), z.json())),
});

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

/** A rule of meaning for context graphs. */
export type GraphRule = Rule<Graph, ContextGraphOptions>;

export const stateTypes = [
  'action',
  'decision',
  'reflection',
  'recall',
  'annotation',
  'side-effect',
  'tool-call',
] as const;

export type StateType = (typeof stateTypes)[number];

export function isStateType(value: unknown): value is StateType {
  return (stateTypes as readonly unknown[]).includes(value);
}

/** Whether the value is one state without a graph: as in documentation, with its name inside or as its only key. */
export function isBareState(value: unknown): boolean {
  if (!isRecord(value) || Object.hasOwn(value, 'states')) return false;
  if (looksLikeState(value)) return true;
  const parts = Object.values(value);
  return parts.length > 0 && parts.every(looksLikeState);
}

export function looksLikeState(value: unknown): boolean {
  return (
    isRecord(value) &&
    isStateType(value['type']) &&
    (Array.isArray(value['exit_conditions']) ||
      typeof value['next_state'] === 'string' ||
      Array.isArray(value['next_state']))
  );
}
