import { isRecord, type JsonObject } from '@dramaturg/compiler';
import type { EditorSchema, Recognition } from '@dramaturg/compiler/format';
import {
  decides,
  deciding,
  described,
  fieldsOfType,
  nullish,
  optional,
  shapeByValue,
  unknownDefinitionsOption,
} from '@dramaturg/compiler/shapes';
import { recognition } from '@dramaturg/conversation';
import * as z from 'zod/mini';

/**
 * The shape of an NPC definition as authored, in every spelling that is accepted; docs/formats/npc.md says which fields
 * the page "States" defines and which are decisions of ours.
 */
const text = fieldsOfType(z.string());
const flag = fieldsOfType(z.boolean());
const integer = fieldsOfType(z.int());
const number = fieldsOfType(z.number());
const texts = fieldsOfType(z.union([text.type, z.array(text.type)]));

const criteria = z.strictObject({
  pass: texts.optional('When the message of the player passes.'),
  redirect: texts.optional('When the player is led back to the subject.'),
  reject: texts.optional('When the message is refused.'),
  kick_out: texts.optional('When the session ends at once.'),
  follow_up: texts.optional('When the character asks a probing question.'),
});

const transition = z.object({
  from_state_key: text.required('The state that it leaves.'),
  to_state_key: text.required(
    'The state that it leads to; or "__end__", "__human__" (a person takes over), "__restart__" (the scenario begins again).',
  ),
  decision_type: text.required(
    'The verdict on the message: pass, redirect, reject or kick_out.',
    z.meta({ examples: ['pass', 'redirect', 'reject', 'kick_out'] }),
  ),
  score_delta: integer.deciding('What is added to the score; 0 by default.'),
  priority: integer.deciding(
    'The order among the transitions of a verdict; the lowest number comes first, 1 by default.',
  ),
  condition: text.nullish(
    'When to choose it among several with its verdict, in plain language.',
    decides,
  ),
  outcome: text.nullish(
    'With the target "__end__": ACCEPT, REJECT or KICK_OUT.',
    z.meta({ examples: ['ACCEPT', 'REJECT', 'KICK_OUT'] }),
    decides,
  ),
  reason: text.nullish('With the target "__human__": why a person is needed.'),
});

export const stateShape = z.object({
  state_key: text.required('Unique in the scenario. "follow_up" is reserved.'),
  label: text.optional('The name for people.'),
  prompt_instruction: text.optional('What the character does and says in this state.'),
  is_initial_state: flag.deciding('Whether the scenario begins here; exactly one state.'),
  is_terminal_state: flag.deciding('Whether the scenario ends here; at least one state.'),
  display_order: number.optional('The order in editors; it has no effect.'),
  evaluation_criteria: deciding(
    z.nullable(z.union([texts.type, criteria])),
    'The criteria of each verdict. A text or a list alone is the criterion for pass.',
  ),
  terminal_outcome: text.nullish(
    'The outcome of a terminal state in pass/fail mode: ACCEPT or REJECT.',
    z.meta({ examples: ['ACCEPT', 'REJECT'] }),
    decides,
  ),
  redirect_limit: deciding(
    z.nullable(z.int()),
    'How many redirects one visit of the state has; null is unlimited.',
  ),
  follow_up_limit: integer.deciding('How many probing questions one follow-up has; 0 disables it.'),
  transitions: optional(
    z.array(z.extend(transition, { from_state_key: z.optional(text.type) }).check(decides)),
    'The transitions that leave the state, without "from_state_key".',
  ),
});

const outputVariable = z.object({
  key: text.required('The name of the variable.'),
  extraction_prompt: text.required('What to extract from the session, in plain language.'),
});

export const persona = z.object({
  name: text.required('The name of the character.'),
  description: text.optional('For listings.'),
  persona_identity_prompt: text.optional('The identity of the character; in every prompt.'),
  perplexity_description: text.nullish('For search; in no prompt.'),
});

const scenario = z.object({
  machine_key: text.optional('Unique among the scenarios of the persona.'),
  name: text.optional('The name for people.'),
  description: text.optional('For people.'),
  creator_objective: text.optional(
    'What the character wants. The evaluator sees it, and the responder does not.',
  ),
  creator_win_condition: text.deciding('When the player wins, for the evaluator.'),
  creator_lose_condition: text.deciding('When the player loses, for the evaluator.'),
  chat_system_prompt: text.optional('The base of the prompt for replies.'),
  system_evaluation_prompt: text.optional('The base of the prompt for verdicts.'),
  system_summarization_prompt: text.optional('The base of the prompt for summaries.'),
  scoring_mode: text.deciding(
    'scoring (the default) or pass_fail.',
    z.meta({ examples: ['scoring', 'pass_fail'] }),
  ),
  pass_threshold: integer.deciding(
    'The score from which a terminal state is an ACCEPT; 3 by default.',
  ),
  early_fail_bound: integer.deciding('The score at which a session fails at once; -3 by default.'),
  redirect_limit: deciding(
    z.nullable(z.int()),
    'How many redirects one visit of a state has; 3 by default, null is unlimited.',
  ),
  follow_up_limit: integer.deciding(
    'How many probing questions one follow-up has; 2 by default, 0 disables it.',
  ),
  is_entry_machine: flag.deciding('Whether the scenario is open from the start.'),
  output_variables: nullish(z.array(outputVariable), 'What is extracted from a completed session.'),
  on_end: nullish(
    z.object({
      start: text.optional('The definition that is started, such as "workflow:reward".'),
      input: nullish(
        z.record(z.string(), z.unknown()),
        'What it gets; "{{key}}" stands for a variable, outcome, score or state.',
      ),
      outcomes: nullish(
        z.array(text.type),
        'The outcomes after which it is started: ACCEPT, REJECT, KICK_OUT; all by default.',
      ),
    }),
    'What is started when the scenario is completed.',
  ),
  states: described(z.array(stateShape), 'The states, at least one.'),
  transitions: nullish(z.array(transition.check(decides)), 'Where verdicts lead.'),
});

const machineLink = z.strictObject({
  source_machine_key: text.required('The scenario that has to be completed.'),
  target_machine_key: text.required('The scenario that it opens.'),
  condition_type: text.optional('When the link holds.'),
  condition_value: nullish(z.union([text.type, z.number()]), 'What the condition compares with.'),
  is_auto_advance: flag.optional('Whether the next scenario begins at once.'),
});

const variable = z.object({
  key: text.required('The name of the variable.'),
  value: text.nullish('Its value before a scenario has provided one.'),
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
  return recognition(
    signs,
    'it has no persona with a "persona_identity_prompt" and no states with a "state_key"',
  );
}

function records(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
