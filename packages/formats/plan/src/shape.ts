import { isRecord, type Path } from '@dramaturg/compiler';
import type { Recognition } from '@dramaturg/compiler/format';
import {
  decides,
  deciding,
  described,
  fieldsOfType,
  nullish,
  older,
  optional,
  unknownDefinitionsOption,
} from '@dramaturg/compiler/shapes';
import { recognition } from '@dramaturg/conversation';
import * as z from 'zod/mini';

/**
 * The shape of a plan as authored, in every spelling that is accepted; docs/formats/plan.md lists the spellings and says
 * which is canonical. A field is required only if every generation of plans has it.
 */
const text = fieldsOfType(z.string());
const flag = fieldsOfType(z.boolean());
const number = fieldsOfType(z.number());
const config = z.record(z.string(), z.unknown());

const olderText = z.optional(text.type).check(older);

const listed = z.nullish(z.array(z.union([text.type, z.number(), z.boolean()])));
const length = z.optional(z.int().check(z.nonnegative()));

export const textFormats = ['date', 'time', 'date-time', 'email', 'phone', 'url'] as const;

/** The limits of a value. The words are those of JSON Schema. */
const limits = {
  enum_values: described(listed, 'The possible values of the type enum.', decides),
  pattern: text.deciding('A regular expression that a text must match, such as "^[0-9]{5}$".'),
  format: deciding(
    z.enum(textFormats),
    'What a text must be: date, time, date-time, email, phone or url.',
  ),
  minimum: number.deciding('The least number.'),
  maximum: number.deciding('The greatest number.'),
  min_length: described(
    length,
    'The least number of characters, or of entries of a list.',
    decides,
  ),
  max_length: described(length, 'The most characters, or entries of a list.', decides),
};

const deliverable = z.object({
  key: text.optional(
    'The name of the value. It has one value in the whole conversation, in whichever state it is collected.',
  ),
  id: described(olderText, 'Older spelling of "key".'),
  type: text.deciding(
    'The type of the value: string (the default), number, boolean, enum or list.',
    z.meta({ examples: ['string', 'number', 'boolean', 'enum', 'list'] }),
  ),
  label: described(olderText, 'Older spelling of "description".'),
  description: text.optional('What the value is, for people and for the model.'),
  required: flag.deciding('Whether the task needs the value; true by default.'),
  acceptance_criteria: text.deciding('What a good answer is, in plain language, for the model.'),
  examples: nullish(z.array(z.unknown()), 'Sample values, for the model.'),
  ...limits,
  items: deciding(
    z.object({ type: text.optional('The type.'), ...limits }),
    'What each entry of a list is; a text by default.',
  ),
  source: deciding(
    z.enum(['person', 'agent']),
    'The side that fulfils it: the person (the default), or the agent by what it says. Then nobody is asked.',
  ),
  validate: text.deciding('The name of a rule of your program, which the port "validate" checks.'),
  refusal: text.optional('What the agent says when a value is refused, instead of the reason.'),
  confirm: flag.deciding(
    'Whether a value that the person mentions in passing counts only when it is said again.',
  ),
  ask_again: flag.deciding('Whether a value that another state has asked for is asked for again.'),
  enumValues: described(listed, 'Older spelling of "enum_values".', older),
});

const task = z.object({
  id: text.required('Unique in its state.'),
  label: described(olderText, 'Older spelling of "description".'),
  description: text.optional('The title of the task.'),
  instruction: text.optional('How the agent does the task.'),
  required: flag.deciding('Whether the state waits for the task; true by default.'),
  deliverables: nullish(z.array(deliverable), 'The values that the task collects.'),
  agent: text.optional(
    'What does the task instead of the conversation: an agent, or a definition such as "workflow:booking" or "plan:intake".',
  ),
  input: nullish(
    config,
    'What the agent gets; "{{key}}" stands for a value. By default it gets all values that are known.',
  ),
  results: nullish(
    z.record(z.string(), text.type),
    'Where deliverables are in the result of the agent, such as "order.id"; under their keys by default.',
  ),
});

const onEnd = z.object({
  start: text.optional('The definition that is started, such as "workflow:booking".'),
  input: nullish(
    config,
    'What it gets; "{{key}}" stands for a value. By default it gets all values.',
  ),
  outcomes: nullish(
    z.array(text.type),
    'The outcomes after which it is started; all except cancelled by default.',
  ),
});

const transition = z.object({
  target_state_id: text.optional(
    'The state to go to; or "__end__", "__human__" (a person takes over), "__restart__" (everything from the beginning).',
  ),
  outcome: text.optional('With the target "__end__": the outcome; completed by default.'),
  reason: text.optional('With the target "__human__": why a person is needed.'),
  target: described(olderText, 'Older spelling of "target_state_id".'),
  condition_type: text.deciding(
    'When to go: all_tasks_complete (the default), deliverable_value, deliverable_exists, deliverable_value_in, deliverable_value_numeric, turn_count_exceeded, goal_achieved, task_failed, all_of, any_of or compound.',
  ),
  condition: described(olderText, 'Older spelling of "condition_type".'),
  priority: deciding(
    z.union([z.number(), text.type]),
    'The order among the transitions of the state; the lowest number comes first, 1 by default.',
  ),
  condition_config: deciding(
    z.nullable(config),
    'The details of the condition, such as "deliverable_key" and "expected_value".',
  ),
});

const planTransition = z.extend(transition, {
  except_states: deciding(
    z.nullable(z.array(text.type)),
    'States in which the transition is not looked at.',
  ),
});

const goal = z.object({
  objective: text.optional('What the agent pursues in this state.'),
  context: text.optional('What the agent should know about the goal.'),
  depth_guidance: text.optional('How deep the agent goes.'),
  boundaries: text.deciding('What the agent leaves out.'),
  success_description: text.optional('When the goal is achieved, in plain language.'),
  deliverables: nullish(
    z.array(deliverable),
    'The values to collect on the way. They alone do not achieve the goal.',
  ),
});

export const stateShape = z.object({
  id: text.required('Unique in the plan.'),
  title: text.optional('The name for people.'),
  label: described(olderText, 'Older spelling of "title".'),
  type: text.deciding(
    'How tasks are done: strict (in order), loose (in any order, the default) or goal.',
    z.meta({ examples: ['strict', 'loose', 'goal'] }),
  ),
  execution_mode: described(olderText, 'Older spelling of "type".'),
  description: text.optional('What happens in the state, for people and for the model.'),
  on_reentry: deciding(
    z.enum(['ask', 'keep']),
    'What happens to the answers when the state is entered again: its questions are asked again (the default), or the answers are kept.',
  ),
  tasks: nullish(z.array(task), 'What is done in the state.'),
  transitions: nullish(
    z.array(transition.check(decides)),
    'Where the state leads. A state without transitions ends the conversation when it is complete.',
  ),
  goal: nullish(goal, 'The goal of a state of the type goal.'),
});

const sessionField = z.object({
  id: text.required('The name of the answer.'),
  label: described(olderText, 'The question.'),
  type: optional(
    z.enum(['string', 'number', 'boolean', 'select']),
    'The type of the answer; string by default.',
  ),
  required: flag.optional('Whether an answer is needed; true by default.'),
  description: text.optional('What the answer is for.'),
  options: nullish(z.array(text.type), 'The choices of the type select.'),
  default_value: optional(z.unknown(), 'Used when there is no answer.'),
});

export const sessionFieldNames: readonly string[] = Object.keys(sessionField.shape);

const sessionContext = z.object({
  fields: described(z.array(sessionField), 'The questions of the form.'),
});

/** The part of a plan's metadata that is read: the fields of the visual builder. */
const metadata = z.object({
  plan_builder: nullish(
    z.object({
      start: nullish(
        z.object({
          agent_spawn_mode: text.nullish(
            'immediate (the default), or on_demand: the person speaks first.',
          ),
        }),
        'How the conversation begins.',
      ),
      canvas: nullish(
        z.object({
          end_state_ids: nullish(
            z.array(text.type),
            'States that lead to the end when they are complete.',
          ),
          end_node_config: nullish(
            z.object({
              farewell_message: text.nullish('Sent word for word when the end is reached.'),
            }),
            'What happens at the end.',
          ),
        }),
        'How the conversation ends.',
      ),
    }),
    'What the visual builder writes.',
  ),
});

export const planShape = z.object({
  id: text.optional('The id of the plan.'),
  title: text.optional('The name for people.'),
  name: described(olderText, 'Older spelling of "title".'),
  description: text.optional('What the plan is for.'),
  initial_state_id: text.optional(
    'The state in which the conversation begins; the first one by default.',
  ),
  states: described(z.array(stateShape), 'The states, at least one.'),
  deliverables: nullish(
    z.array(deliverable),
    'Values that are recorded in every state, and never asked for.',
  ),
  transitions: nullish(
    z.array(planTransition.check(decides)),
    'Transitions that are looked at in every state, in one list with those of the state by priority.',
  ),
  on_end: nullish(onEnd, 'What is started when the conversation has ended.'),
  system_prompt: text.optional('The role of the agent.'),
  systemPrompt: described(olderText, 'Older spelling of "system_prompt".'),
  session_context: nullish(
    sessionContext,
    'The form that a person fills in before the conversation.',
  ),
  sessionContext: nullish(sessionContext, 'Older spelling of "session_context".', older),
  metadata: nullish(metadata, 'Data of other programs. What the visual builder writes is read.'),
  on_correction: optional(
    z.enum(['keep']),
    '"keep": what a corrected value has decided stays decided.',
  ),
  language: text.optional('The language code of the replies; auto by default.'),
});

/** The shape for a value: a plan, a list of states, or one state, as on the page that describes states. */
export function shapeOf(value: unknown): z.ZodMiniType {
  if (Array.isArray(value)) return z.array(stateShape);
  return isBareState(value) ? stateShape : planShape;
}

/** Whether the value is one state without a plan. */
export function isBareState(value: unknown): boolean {
  return isRecord(value) && !Object.hasOwn(value, 'states') && Array.isArray(value['tasks']);
}

/** How a plan is compiled. Spec: docs/formats/plan.md#options */
export const planOptions = z.strictObject({
  /** Which tasks `all_tasks_complete` waits for: the required ones, or all, as in the later service. */
  completion: z._default(z.enum(['required', 'all']), 'required'),
  /** Whether a strict state rejects values out of order, or only asks in order. */
  strictness: z._default(z.enum(['enforced', 'advisory']), 'enforced'),
  /** After this many turns without progress the conversation moves to the next state in the list. Off by default. */
  idleTurnLimit: z.optional(z.int().check(z.positive())),
  /** After this many messages, the older half of them is replaced by a summary. Off by default. */
  summariseAfter: z.optional(z.int().check(z.gte(4))),
  unknownDefinitions: unknownDefinitionsOption,
});

export type PlanOptions = z.infer<typeof planOptions>;

export const deliverableTypes = ['string', 'number', 'boolean', 'enum', 'list'] as const;

export type DeliverableType = (typeof deliverableTypes)[number];

type Limits = Omit<z.infer<z.ZodMiniObject<typeof limits>>, 'enum_values'>;

/** The type and limits of a value. An absent limit allows everything. */
export interface ValueType extends Readonly<Limits> {
  readonly type: DeliverableType;
  readonly enum_values: readonly string[];
  /** The type of each entry of a list. */
  readonly items?: ValueType | undefined;
  readonly at: Path;
}

/** Judges by shape whether a value is a plan, a list of a plan's states, or one such state. */
export function recognise(value: unknown): Recognition {
  if (isBareState(value)) return { matches: true, signs: ['its "tasks"'] };
  const states = Array.isArray(value) ? value : isRecord(value) ? value['states'] : undefined;
  if (!Array.isArray(states)) return { matches: false, because: 'it has no list of "states"' };
  const root = isRecord(value) ? value : {};
  const signs: string[] = [];
  if (states.some((state) => isRecord(state) && Array.isArray(state['tasks'])))
    signs.push('the "tasks" of its states');
  if (states.some(hasPlanTransition)) signs.push('the "target_state_id" of its transitions');
  const own = ['initial_state_id', 'session_context', 'system_prompt'];
  signs.push(...own.filter((field) => Object.hasOwn(root, field)).map((field) => `"${field}"`));
  const because = 'none of its states has "tasks" or "transitions" to a "target_state_id"';
  return recognition(signs, because);
}

function hasPlanTransition(state: unknown): boolean {
  const transitions = isRecord(state) ? state['transitions'] : undefined;
  return (
    Array.isArray(transitions) &&
    transitions.some((one) => isRecord(one) && typeof one['target_state_id'] === 'string')
  );
}
