import { isRecord, type JsonObject, type Path } from '@dramaturg/compiler';
import type { Report, Rule } from '@dramaturg/compiler/format';
import type { OnEnd } from '@dramaturg/conversation';
import {
  decides,
  described,
  nullish,
  optional,
  unknownDefinitionsOption,
} from '@dramaturg/compiler/shapes';
import * as z from 'zod/mini';

/** An optional field that permits, limits or decides something. */
const deciding = <Field extends z.ZodMiniType>(...field: Parameters<typeof optional<Field>>) =>
  optional<Field>(...field, decides);

/**
 * The shape of an NPC definition as authored, in every spelling that is accepted; docs/formats/npc.md says which fields
 * the page "States" defines and which are decisions of ours.
 */
const text = z.string();
const texts = z.union([text, z.array(text)]);

const criteria = z.strictObject({
  pass: optional(texts, 'When the message of the player passes.'),
  redirect: optional(texts, 'When the player is led back to the subject.'),
  reject: optional(texts, 'When the message is refused.'),
  kick_out: optional(texts, 'When the session ends at once.'),
  follow_up: optional(texts, 'When the character asks a probing question.'),
});

const transition = z.object({
  from_state_key: described(text, 'The state that it leaves.'),
  to_state_key: described(
    text,
    'The state that it leads to; or "__end__", "__human__" (a person takes over), "__restart__" (the scenario begins again).',
  ),
  decision_type: described(
    text,
    'The verdict on the message: pass, redirect, reject or kick_out.',
    z.meta({ examples: ['pass', 'redirect', 'reject', 'kick_out'] }),
  ),
  score_delta: deciding(z.int(), 'What is added to the score; 0 by default.'),
  priority: deciding(
    z.int(),
    'The order among the transitions of a verdict; the lowest number comes first, 1 by default.',
  ),
  condition: deciding(
    z.nullable(text),
    'When to choose it among several with its verdict, in plain language.',
  ),
  outcome: deciding(
    z.nullable(text),
    'With the target "__end__": ACCEPT, REJECT or KICK_OUT.',
    z.meta({ examples: ['ACCEPT', 'REJECT', 'KICK_OUT'] }),
  ),
  reason: nullish(text, 'With the target "__human__": why a person is needed.'),
});

export const stateShape = z.object({
  state_key: described(text, 'Unique in the scenario. "follow_up" is reserved.'),
  label: optional(text, 'The name for people.'),
  prompt_instruction: optional(text, 'What the character does and says in this state.'),
  is_initial_state: deciding(z.boolean(), 'Whether the scenario begins here; exactly one state.'),
  is_terminal_state: deciding(z.boolean(), 'Whether the scenario ends here; at least one state.'),
  display_order: optional(z.number(), 'The order in editors; it has no effect.'),
  evaluation_criteria: deciding(
    z.nullable(z.union([texts, criteria])),
    'The criteria of each verdict. A text or a list alone is the criterion for pass.',
  ),
  terminal_outcome: deciding(
    z.nullable(text),
    'The outcome of a terminal state in pass/fail mode: ACCEPT or REJECT.',
    z.meta({ examples: ['ACCEPT', 'REJECT'] }),
  ),
  redirect_limit: deciding(
    z.nullable(z.int()),
    'How many redirects one visit of the state has; null is unlimited.',
  ),
  follow_up_limit: deciding(
    z.int(),
    'How many probing questions one follow-up has; 0 disables it.',
  ),
  transitions: optional(
    z.array(z.extend(transition, { from_state_key: z.optional(text) }).check(decides)),
    'The transitions that leave the state, without "from_state_key".',
  ),
});

const outputVariable = z.object({
  key: described(text, 'The name of the variable.'),
  extraction_prompt: described(text, 'What to extract from the session, in plain language.'),
});

export const persona = z.object({
  name: described(text, 'The name of the character.'),
  description: optional(text, 'For listings.'),
  persona_identity_prompt: optional(text, 'The identity of the character; in every prompt.'),
  perplexity_description: nullish(text, 'For search; in no prompt.'),
});

const scenario = z.object({
  machine_key: optional(text, 'Unique among the scenarios of the persona.'),
  name: optional(text, 'The name for people.'),
  description: optional(text, 'For people.'),
  creator_objective: optional(
    text,
    'What the character wants. The evaluator sees it, and the responder does not.',
  ),
  creator_win_condition: deciding(text, 'When the player wins, for the evaluator.'),
  creator_lose_condition: deciding(text, 'When the player loses, for the evaluator.'),
  chat_system_prompt: optional(text, 'The base of the prompt for replies.'),
  system_evaluation_prompt: optional(text, 'The base of the prompt for verdicts.'),
  system_summarization_prompt: optional(text, 'The base of the prompt for summaries.'),
  scoring_mode: deciding(
    text,
    'scoring (the default) or pass_fail.',
    z.meta({ examples: ['scoring', 'pass_fail'] }),
  ),
  pass_threshold: deciding(
    z.int(),
    'The score from which a terminal state is an ACCEPT; 3 by default.',
  ),
  early_fail_bound: deciding(z.int(), 'The score at which a session fails at once; -3 by default.'),
  redirect_limit: deciding(
    z.nullable(z.int()),
    'How many redirects one visit of a state has; 3 by default, null is unlimited.',
  ),
  follow_up_limit: deciding(
    z.int(),
    'How many probing questions one follow-up has; 2 by default, 0 disables it.',
  ),
  is_entry_machine: deciding(z.boolean(), 'Whether the scenario is open from the start.'),
  output_variables: nullish(z.array(outputVariable), 'What is extracted from a completed session.'),
  on_end: nullish(
    z.object({
      start: optional(text, 'The definition that is started, such as "workflow:reward".'),
      input: nullish(
        z.record(z.string(), z.unknown()),
        'What it gets; "{{key}}" stands for a variable, outcome, score or state.',
      ),
      outcomes: nullish(
        z.array(text),
        'The outcomes after which it is started: ACCEPT, REJECT, KICK_OUT; all by default.',
      ),
    }),
    'What is started when the scenario is completed.',
  ),
  states: described(z.array(stateShape), 'The states, at least one.'),
  transitions: nullish(z.array(transition.check(decides)), 'Where verdicts lead.'),
});

const machineLink = z.strictObject({
  source_machine_key: described(text, 'The scenario that has to be completed.'),
  target_machine_key: described(text, 'The scenario that it opens.'),
  condition_type: optional(text, 'When the link holds.'),
  condition_value: nullish(z.union([text, z.number()]), 'What the condition compares with.'),
  is_auto_advance: optional(z.boolean(), 'Whether the next scenario begins at once.'),
});

const variable = z.object({
  key: described(text, 'The name of the variable.'),
  value: nullish(text, 'Its value before a scenario has provided one.'),
});

export const envelope = z.object({
  persona: nullish(persona, 'The character.'),
  machines: optional(z.array(z.required(scenario, { machine_key: true })), 'The scenarios.'),
  scenarios: optional(
    z.array(z.required(scenario, { machine_key: true })),
    'Another name of "machines".',
  ),
  variables: nullish(z.array(variable), 'Values that prompts may use.'),
  machine_links: deciding(z.nullable(z.array(machineLink)), 'Which scenario opens which.'),
});

export const loneScenario = z.extend(scenario, {
  persona: nullish(persona, 'The character.'),
});

/** A text without machines or states yet may become an envelope or a scenario. */
export const unfinished = z.extend(envelope, z.partial(scenario).shape);

/** The layout of the text: the whole persona, a persona alone, one scenario, or states as on the page "States". */
export type Layout = 'envelope' | 'persona' | 'scenario' | 'states' | 'state';

export function layoutOf(value: unknown): Layout {
  if (Array.isArray(value)) return 'states';
  if (!isRecord(value)) return 'envelope';
  const has = (field: string) => Object.hasOwn(value, field);
  if (has('machines') || has('scenarios')) return 'envelope';
  if (has('states')) return 'scenario';
  if (has('state_key')) return 'state';
  return has('persona_identity_prompt') ? 'persona' : 'envelope';
}

/** The shape that fits a value. The fields of a persona may also be siblings of its scenarios. */
export function shapeOf(value: unknown): z.ZodMiniType {
  const layout = layoutOf(value);
  if (layout === 'states') return z.array(stateShape);
  if (layout === 'state') return stateShape;
  if (layout === 'scenario') return loneScenario;
  const has = (field: string) => isRecord(value) && Object.hasOwn(value, field);
  if (has('persona_identity_prompt')) return z.extend(envelope, persona.shape);
  return has('machines') || has('scenarios') ? envelope : unfinished;
}

/** How a definition is compiled. Spec: docs/formats/npc.md#options */
export const npcOptions = z.strictObject({
  /** After this many messages the older part of the conversation is replaced by a summary. */
  summariseAfter: z._default(z.int().check(z.gte(2)), 20),
  unknownDefinitions: unknownDefinitionsOption,
});

export type NpcOptions = z.infer<typeof npcOptions>;

/** A rule of meaning for NPC scenarios. */
export type NpcRule = Rule<Npc, NpcOptions>;

/** A rule that looks at each scenario by itself. */
export function eachScenario(check: (scenario: Scenario, report: Report) => void): NpcRule {
  return ({ definition, report }) => {
    for (const each of definition.scenarios) check(each, report);
  };
}

/** A definition in one spelling, all defaults filled in. `at` is the path of a part in the definition as authored. */
export interface Npc {
  readonly persona: Persona;
  readonly scenarios: readonly Scenario[];
  /** The path of the scenarios. */
  readonly scenariosAt: Path;
  readonly machine_links: readonly MachineLink[];
  /** Values that prompts may use before any scenario has provided them. */
  readonly variables: readonly Variable[];
}

export interface Persona {
  readonly name: string;
  readonly description: string;
  readonly persona_identity_prompt: string;
  readonly at: Path;
}

export interface Variable {
  readonly key: string;
  readonly value: string | undefined;
  readonly at: Path;
}

export type ScoringMode = 'scoring' | 'pass_fail';

/** The fields of a scenario that become part of prompts. */
export const promptFields = [
  'creator_objective',
  'creator_win_condition',
  'creator_lose_condition',
  'chat_system_prompt',
  'system_evaluation_prompt',
  'system_summarization_prompt',
] as const;
export type Prompts = Readonly<Record<(typeof promptFields)[number], string>>;

export interface Scenario extends Prompts {
  readonly machine_key: string;
  readonly name: string;
  readonly description: string;
  readonly scoring_mode: ScoringMode;
  readonly pass_threshold: number;
  readonly early_fail_bound: number;
  readonly redirect_limit: number | null;
  readonly follow_up_limit: number;
  readonly is_entry_machine: boolean;
  readonly output_variables: readonly OutputVariable[];
  readonly on_end?: OnEnd | undefined;
  readonly states: readonly State[];
  /** In order of priority; equal priorities in the order of the list. */
  readonly transitions: readonly Transition[];
  readonly at: Path;
}

export interface OutputVariable {
  readonly key: string;
  readonly extraction_prompt: string;
  readonly at: Path;
}

export interface State {
  readonly state_key: string;
  readonly label: string;
  readonly prompt_instruction: string;
  readonly is_initial_state: boolean;
  readonly is_terminal_state: boolean;
  readonly display_order: number | undefined;
  readonly evaluation_criteria: Criteria;
  readonly terminal_outcome: 'ACCEPT' | 'REJECT' | undefined;
  /** The state's own, else the scenario's. */
  readonly redirect_limit: number | null;
  readonly follow_up_limit: number;
  readonly at: Path;
}

export const decisions = ['pass', 'redirect', 'reject', 'kick_out'] as const;
export type Decision = (typeof decisions)[number];

/** The verdicts of an evaluator on a message: a decision, or a follow-up question. */
export const verdicts = [...decisions, 'follow_up'] as const;
export type Verdict = (typeof verdicts)[number];

/** One string per verdict: when to give it. */
export type Criteria = Readonly<Partial<Record<Verdict, string>>>;

export const outcomes = ['ACCEPT', 'REJECT', 'KICK_OUT'] as const;
export type Outcome = (typeof outcomes)[number];

export interface Transition {
  /** Its name for the evaluator: the decision, or if several rows share it, the decision and the target. */
  readonly row: string;
  readonly from_state_key: string;
  readonly to_state_key: string;
  /** Undefined when the authored word is unknown, which is reported. */
  readonly decision_type: Decision | undefined;
  readonly score_delta: number;
  readonly priority: number;
  readonly condition: string;
  /** With the target `__end__`. */
  readonly outcome?: Outcome | undefined;
  /** With the target `__human__`. */
  readonly reason?: string | undefined;
  readonly at: Path;
}

export type LinkCondition =
  | { readonly type: 'outcome'; readonly value: Outcome }
  | { readonly type: 'score_gte' | 'score_lte'; readonly value: number }
  | { readonly type: 'always' };

export interface MachineLink {
  readonly source_machine_key: string;
  readonly target_machine_key: string;
  /** Undefined when the authored condition is malformed, which is reported. */
  readonly condition: LinkCondition | undefined;
  readonly is_auto_advance: boolean;
  readonly at: Path;
}

/** A part of a definition as it is stored in a node of the chart: without paths and empty strings. */
export function withoutPlaces(part: object): JsonObject {
  return JSON.parse(
    JSON.stringify(part, (key, value: unknown) =>
      key === 'at' || value === '' ? undefined : value,
    ),
  ) as JsonObject;
}

/** The engine's own state. Its name is reserved. */
export const followUp = 'follow_up';
