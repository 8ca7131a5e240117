import { isRecord, type Json, type JsonObject, type Path } from '@dramaturg/compiler';
import * as z from 'zod';
import type { Condition } from './conditions/table.ts';

/**
 * The shape of a plan as authored, in every spelling that is accepted; docs/formats/plan.md lists the spellings and says
 * which is canonical. A field is required only if every generation of plans has it.
 */
const text = z.string();
const config = z.record(z.string(), z.unknown());

/** A spelling of another generation: read, but never suggested. */
const olderText = text.optional().meta({ older: true });

const deliverable = z.object({
  key: text.optional(),
  id: olderText,
  type: text.optional(),
  label: olderText,
  description: text.optional(),
  required: z.boolean().optional(),
  acceptance_criteria: text.optional(),
  examples: z.array(z.unknown()).nullish(),
  enum_values: z.array(z.union([text, z.number(), z.boolean()])).nullish(),
  confirm: z.boolean().optional(),
  enumValues: z
    .array(z.union([text, z.number(), z.boolean()]))
    .nullish()
    .meta({ older: true }),
});

const task = z.object({
  id: text,
  label: olderText,
  description: text.optional(),
  instruction: text.optional(),
  required: z.boolean().optional(),
  deliverables: z.array(deliverable).nullish(),
});

const transition = z.object({
  target_state_id: text.optional(),
  target: olderText,
  condition_type: text.optional(),
  condition: olderText,
  priority: z.union([z.number(), text]).optional(),
  condition_config: config.nullish(),
});

const goal = z.object({
  objective: text.optional(),
  context: text.optional(),
  depth_guidance: text.optional(),
  boundaries: text.optional(),
  success_description: text.optional(),
  deliverables: z.array(deliverable).nullish(),
});

const state = z.object({
  id: text,
  title: text.optional(),
  label: olderText,
  type: text.optional(),
  execution_mode: olderText,
  description: text.optional(),
  tasks: z.array(task).nullish(),
  transitions: z.array(transition).nullish(),
  goal: goal.nullish(),
});

const sessionField = z.object({
  id: text,
  label: olderText,
  type: z.enum(['string', 'number', 'boolean', 'select']).optional(),
  required: z.boolean().optional(),
  description: text.optional(),
  options: z.array(text).nullish(),
  default_value: z.unknown().optional(),
});

export const sessionFieldNames: readonly string[] = Object.keys(sessionField.shape);

const sessionContext = z.object({ fields: z.array(sessionField) });

/** The part of a plan's metadata that is read: what the visual builder writes. */
const metadata = z.object({
  plan_builder: z
    .object({
      start: z.object({ agent_spawn_mode: text.nullish() }).nullish(),
      canvas: z
        .object({
          end_state_ids: z.array(text).nullish(),
          end_node_config: z.object({ farewell_message: text.nullish() }).nullish(),
        })
        .nullish(),
    })
    .nullish(),
});

const planShape = z.object({
  id: text.optional(),
  title: text.optional(),
  name: olderText,
  description: text.optional(),
  initial_state_id: text.optional(),
  states: z.array(state),
  system_prompt: text.optional(),
  systemPrompt: olderText,
  session_context: sessionContext.nullish(),
  sessionContext: sessionContext.nullish().meta({ older: true }),
  metadata: metadata.nullish(),
  language: text.optional(),
});

/** The shape that fits a value: a plan, or, as on the page that describes states, a list of states or one state. */
export function shapeOf(value: unknown): z.ZodType {
  if (Array.isArray(value)) return z.array(state);
  return isBareState(value) ? state : planShape;
}

/** One state without a plan around it. */
export function isBareState(value: unknown): boolean {
  return isRecord(value) && !Object.hasOwn(value, 'states') && Array.isArray(value['tasks']);
}

/** How a plan is compiled. Spec: docs/formats/plan.md#options */
export const planOptions = z.strictObject({
  /** Which tasks `all_tasks_complete` waits for: the required ones, or all, as in the later service. */
  completion: z.enum(['required', 'all']).default('required'),
  /** Whether a strict state rejects values out of order, or only asks in order. */
  strictness: z.enum(['enforced', 'advisory']).default('enforced'),
  /** After this many turns without progress the conversation moves to the next state in the list. Off by default. */
  idleTurnLimit: z.int().positive().optional(),
});

export type PlanOptions = z.infer<typeof planOptions>;

/** A plan in one spelling, all defaults filled in. `at` is the path of a part in the definition as authored. */
export interface Plan {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly initial_state_id: string;
  /** The path of `initial_state_id`; undefined when it is missing. */
  readonly initialAt: Path | undefined;
  readonly states: readonly State[];
  /** The path of the states. */
  readonly statesAt: Path;
  readonly system_prompt: string;
  readonly language: string;
  readonly session_context: readonly SessionField[];
  /** Whether the agent speaks first. From `metadata.plan_builder.start`. */
  readonly agent_spawn_mode: 'immediate' | 'on_demand';
  /** Said when the end is reached. From `metadata.plan_builder.canvas.end_node_config`. */
  readonly farewell_message: string;
}

export type StateType = 'strict' | 'loose' | 'goal';

export interface State {
  readonly id: string;
  readonly title: string;
  readonly type: StateType;
  readonly description: string;
  readonly tasks: readonly Task[];
  /** In order of priority; equal priorities in the order of the list. */
  readonly transitions: readonly Transition[];
  readonly goal: Goal | undefined;
  readonly at: Path;
}

export interface Task {
  readonly id: string;
  /** The task's title. */
  readonly description: string;
  /** How to do it. */
  readonly instruction: string;
  readonly required: boolean;
  readonly deliverables: readonly Deliverable[];
  readonly at: Path;
}

export type DeliverableType = 'string' | 'number' | 'boolean' | 'enum';

export interface Deliverable {
  readonly key: string;
  readonly type: DeliverableType;
  readonly description: string;
  readonly required: boolean;
  readonly acceptance_criteria: string;
  readonly examples: readonly string[];
  readonly enum_values: readonly string[];
  /** A value that was said before its turn, or in passing, counts only once the person confirms it. */
  readonly confirm?: true | undefined;
  readonly at: Path;
}

export interface Goal {
  readonly objective: string;
  readonly context: string;
  readonly depth_guidance: string;
  readonly boundaries: string;
  readonly success_description: string;
  readonly deliverables: readonly Deliverable[];
  readonly at: Path;
}

export interface Transition {
  readonly target_state_id: string;
  readonly priority: number;
  /** Undefined when the authored condition is malformed, which is reported. */
  readonly condition: Condition | undefined;
  readonly at: Path;
}

export interface SessionField {
  readonly id: string;
  readonly label: string;
  readonly type: 'string' | 'number' | 'boolean' | 'select';
  readonly required: boolean;
  readonly description: string;
  readonly options: readonly string[];
  readonly default_value: Json | undefined;
  readonly at: Path;
}

/** A part of a plan as it is stored in a node of the chart: without paths. */
export function withoutPlaces(part: object): JsonObject {
  const kept = Object.entries(part).filter(([key, value]) => key !== 'at' && value !== undefined);
  return Object.fromEntries(kept.map(([key, value]) => [key, plain(value)]));
}

function plain(value: unknown): Json {
  if (Array.isArray(value)) return value.map(plain);
  return isRecord(value) ? withoutPlaces(value) : (value as Json);
}

/** Reserved ids. Spec: docs/formats/plan.md#reserved-words */
export const end = '__end__';
export const goalTask = '__goal__';
export const goalMarker = '__goal_achieved__';
export const reservedIds: readonly string[] = [end, goalTask, '__goal_deliverables__', '__proto__'];
