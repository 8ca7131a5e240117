import { isRecord, type JsonObject } from '@dramaturg/compiler';
import type { EditorSchema, Recognition } from '@dramaturg/compiler/format';
import {
  decides,
  described,
  nullish,
  optional,
  shapeByValue,
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

const having = (field: string): JsonObject => ({ required: [field] });

/** A persona with its scenarios, one scenario, or states: the layouts of `layoutOf`. */
export const npcSchema: EditorSchema = {
  name: 'npc',
  title: 'NPC scenario',
  description: 'A character with states, verdicts on the messages of a player, and a score.',
  shape: shapeByValue([
    { when: { type: 'array' }, shape: z.array(stateShape) },
    {
      when: {
        allOf: [
          having('persona_identity_prompt'),
          { anyOf: [having('machines'), having('scenarios')] },
        ],
      },
      shape: z.extend(envelope, persona.shape),
    },
    { when: { anyOf: [having('machines'), having('scenarios')] }, shape: envelope },
    { when: having('states'), shape: loneScenario },
    { when: having('state_key'), shape: stateShape },
    { when: having('persona_identity_prompt'), shape: z.extend(envelope, persona.shape) },
    { shape: unfinished },
  ]),
};

/** Judges by shape whether a value is a persona with its scenarios, one scenario, or the states of one. */
export function recognise(value: unknown): Recognition {
  const layout = layoutOf(value);
  const root = isRecord(value) ? value : {};
  const signs: string[] = [];
  const around = isRecord(root['persona']) ? root['persona'] : root;
  if (typeof around['persona_identity_prompt'] === 'string')
    signs.push('the "persona_identity_prompt" of its persona');
  const scenarios = layout === 'envelope' ? records(root['machines'] ?? root['scenarios']) : [root];
  const inScenarios = (field: string) => scenarios.flatMap((one) => records(one[field]));
  const states = layout === 'states' ? records(value) : inScenarios('states');
  if (layout === 'state' || states.some((state) => typeof state['state_key'] === 'string'))
    signs.push('the "state_key" of its states');
  if (inScenarios('transitions').some((row) => typeof row['from_state_key'] === 'string'))
    signs.push('the "from_state_key" of its transitions');
  return signs.length > 0
    ? { matches: true, signs }
    : {
        matches: false,
        because:
          'it has no persona with a "persona_identity_prompt" and no states with a "state_key"',
      };
}

function records(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
