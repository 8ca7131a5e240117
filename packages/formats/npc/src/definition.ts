import { isRecord, type JsonObject, type Path } from '@dramaturg/compiler';
import * as z from 'zod';

/**
 * The shape of an NPC definition as authored, in every spelling that is accepted; docs/formats/npc.md says which fields
 * the page "States" defines and which are decisions of ours.
 */
const text = z.string();
const texts = z.union([text, z.array(text)]);

const criteria = z.object({
  pass: texts.optional(),
  redirect: texts.optional(),
  reject: texts.optional(),
  kick_out: texts.optional(),
  follow_up: texts.optional(),
});

const transition = z.object({
  from_state_key: text,
  to_state_key: text,
  decision_type: text,
  score_delta: z.int().optional(),
  priority: z.int().optional(),
  condition: text.nullish(),
});

const state = z.object({
  state_key: text,
  label: text.optional(),
  prompt_instruction: text.optional(),
  is_initial_state: z.boolean().optional(),
  is_terminal_state: z.boolean().optional(),
  display_order: z.number().optional(),
  evaluation_criteria: z.union([texts, criteria]).nullish(),
  terminal_outcome: text.nullish(),
  redirect_limit: z.int().nullish(),
  follow_up_limit: z.int().optional(),
  transitions: z.array(transition.extend({ from_state_key: text.optional() })).optional(),
});

const outputVariable = z.object({ key: text, extraction_prompt: text });

const persona = z.object({
  name: text,
  description: text.optional(),
  persona_identity_prompt: text.optional(),
  perplexity_description: text.nullish(),
});

const scenario = z.object({
  machine_key: text.optional(),
  name: text.optional(),
  description: text.optional(),
  creator_objective: text.optional(),
  creator_win_condition: text.optional(),
  creator_lose_condition: text.optional(),
  chat_system_prompt: text.optional(),
  system_evaluation_prompt: text.optional(),
  system_summarization_prompt: text.optional(),
  scoring_mode: text.optional(),
  pass_threshold: z.int().optional(),
  early_fail_bound: z.int().optional(),
  redirect_limit: z.int().nullish(),
  follow_up_limit: z.int().optional(),
  is_entry_machine: z.boolean().optional(),
  output_variables: z.array(outputVariable).nullish(),
  states: z.array(state),
  transitions: z.array(transition).nullish(),
});

const machineLink = z.object({
  source_machine_key: text,
  target_machine_key: text,
  condition_type: text.optional(),
  condition_value: z.union([text, z.number()]).nullish(),
  is_auto_advance: z.boolean().optional(),
});

const variable = z.object({ key: text, value: text.nullish() });

const envelope = z.object({
  persona: persona.nullish(),
  machines: z.array(scenario.required({ machine_key: true })).optional(),
  scenarios: z.array(scenario.required({ machine_key: true })).optional(),
  variables: z.array(variable).nullish(),
  machine_links: z.array(machineLink).nullish(),
});

const loneScenario = scenario.extend({ persona: persona.nullish() });

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
export function shapeOf(value: unknown): z.ZodType {
  const layout = layoutOf(value);
  if (layout === 'states') return z.array(state);
  if (layout === 'state') return state;
  if (layout === 'scenario') return loneScenario;
  const isAround = isRecord(value) && Object.hasOwn(value, 'persona_identity_prompt');
  return isAround ? envelope.extend(persona.shape) : envelope;
}

/** How a definition is compiled. Spec: docs/formats/npc.md#options */
export const npcOptions = z.strictObject({
  /** After this many messages the older part of the conversation is replaced by a summary. */
  summariseAfter: z.int().min(2).default(20),
});

export type NpcOptions = z.infer<typeof npcOptions>;

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

export interface Scenario {
  readonly machine_key: string;
  readonly name: string;
  readonly description: string;
  readonly creator_objective: string;
  readonly creator_win_condition: string;
  readonly creator_lose_condition: string;
  readonly chat_system_prompt: string;
  readonly system_evaluation_prompt: string;
  readonly system_summarization_prompt: string;
  readonly scoring_mode: ScoringMode;
  readonly pass_threshold: number;
  readonly early_fail_bound: number;
  readonly redirect_limit: number | null;
  readonly follow_up_limit: number;
  readonly is_entry_machine: boolean;
  readonly output_variables: readonly OutputVariable[];
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

/** One text per verdict: when to give it. */
export type Criteria = Readonly<Partial<Record<Verdict, string>>>;

export type Outcome = 'ACCEPT' | 'REJECT' | 'KICK_OUT';

export interface Transition {
  /** Its name for the evaluator: the decision, or if several share it, the decision and the target. */
  readonly row: string;
  readonly from_state_key: string;
  readonly to_state_key: string;
  /** Undefined when the authored word is unknown, which is reported. */
  readonly decision_type: Decision | undefined;
  readonly score_delta: number;
  readonly priority: number;
  readonly condition: string;
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

/** A part of a definition as it is stored in a node of the chart: without paths and empty texts. */
export function withoutPlaces(part: object): JsonObject {
  return JSON.parse(
    JSON.stringify(part, (key, value: unknown) =>
      key === 'at' || value === '' ? undefined : value,
    ),
  ) as JsonObject;
}

/** The engine's own state. Its name is reserved. */
export const followUp = 'follow_up';
