import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import type { ContextMaker, FormField, Opening } from '@dramaturg/compiler/format';
import { unknownFields } from '@dramaturg/compiler/shapes';
import {
  type ConversationContext,
  freshConversation,
  type HandledEvent,
  own,
  readConversationInput,
  refuseInput,
} from '@dramaturg/conversation';
import type { PlanOutput } from './events.ts';
import { isScalar, toNumber } from './value.ts';

export { own };

/** The data that guards and prompts of a plan read. */
export interface PlanContext extends ConversationContext, Begun {
  /** The answers of the form shown before the conversation. */
  readonly session: JsonObject;
  /** Id of the current state; `__end__` once the plan has ended. */
  readonly state: string;
  /** Updates with a value that the port `validate` has not checked yet, in order. Absent when there are none. */
  readonly unchecked?: readonly UncheckedUpdate[];
  /** How many values the port `validate` has checked. */
  readonly checks?: number;
  /**
   * Values that were said before their turn, by key. They count once their task is current, or once the person confirms
   * them. Absent when there are none.
   */
  readonly volunteered?: Readonly<Record<string, DeliverableRecord>>;
  /** The keys of values that the person gave in a state that asks for them. Absent when there are none. */
  readonly answered?: readonly string[];
  /** The answered keys that are asked for again, because a state was entered again. Their last values are kept. */
  readonly reopened?: readonly string[];
  /** The state that the running port call is about. If the plan has moved since, the answer is not applied. */
  readonly addressed: string;
  /** The task that an agent is working on. Its result is not applied to another state, nor once the task is done. */
  readonly work?: string;
  /** How often an agent was called for a task. */
  readonly works?: number;
  /** The tasks that agents were called for since the last message, by id: the reason of a failure, or null. */
  readonly tried?: Readonly<Record<string, string | null>>;
  /** An agent has done or failed a task since the last reply. */
  readonly worked?: true | undefined;
  /** A person has returned the conversation, and the agent has not spoken since. */
  readonly resumed?: true | undefined;
  /** Why a person takes over, until the agent has said so. Absent otherwise. */
  readonly handOver?: string | undefined;
  /** The occasions on which a person was asked to take over. */
  readonly handed?: readonly string[];
  /** The latest moves from states that lead to several others, in order. Absent when there were none. */
  readonly decisions?: readonly Decision[];
  /** The state before an update from outside, or before a reply that asks nothing: the question of the next state is due. */
  readonly updatedIn?: string | undefined;
  /** The values that the current update has corrected, as they were before. */
  readonly corrected?: Readonly<Record<string, Json>> | undefined;
  /** The state in which the conversation ended. */
  readonly lastState: string;
  /** The plan has no end of its own: only the agent ends it. */
  readonly endless?: true;
}

/** A move from a state that leads to several others, with all data that its transitions read. */
export interface Decision {
  readonly from: string;
  readonly to: string;
  readonly visit: Visit;
  readonly visited: readonly string[];
  /** The status of the tasks of the state. */
  readonly tasks: Readonly<Record<string, TaskStatus>>;
  /** The values that its conditions read. */
  readonly values: Readonly<Record<string, Json>>;
}

/** One visit of a state, from entry to exit. */
export type Visit = Readonly<typeof freshVisit> & {
  /** The idle turns of earlier visits, for a state that was entered again without progress. Limits of turns count them, too. */
  readonly idleBefore?: number;
  /** How many of `turns` and of `idleTurns` were questions of the person. Absent when there were none. */
  readonly digressions?: Digressions;
};

/** Messages in which the person has asked something: in a visit, and since the last progress. */
export interface Digressions {
  readonly all: number;
  readonly idle: number;
}

export const noDigressions: Digressions = { all: 0, idle: 0 };

export type TaskStatus = 'completed' | 'skipped';

export interface DeliverableRecord {
  readonly value: Json;
  /** The state in which the value was collected; for a value said before its turn, the state in which it was said. */
  readonly state: string;
  /** It was said before its turn. */
  readonly volunteered?: true;
  /** The number of the message that said it before its turn; absent when no message did. */
  readonly message?: number;
  readonly reasoning?: string;
  /** The rule of the program that the value meets. */
  readonly checked?: string;
  /** It was mentioned in passing and is not confirmed. */
  readonly unconfirmed?: true;
  /** An undeclared key collected in a goal state: shown to the model, but never needed for completion. */
  readonly discovered?: true;
  /** Earlier values, the latest last; at most `longestHistory`. */
  readonly history?: readonly Json[];
}

/** The parts of an update, and the event after them. */
export interface UncheckedUpdate {
  readonly events: readonly HandledEvent[];
  readonly last: HandledEvent;
}

export interface Refusal {
  /** A key, a task id or a state id. */
  readonly what: string;
  readonly because: string;
  /** The author's sentence for the person. */
  readonly say?: string;
  /** False for a task that an agent was to do. */
  readonly isDone?: false;
}

/** The maximum number of earlier values in a snapshot. Every value is emitted when it is collected. */
export const longestHistory = 10;

export const freshVisit = {
  /** The state was entered before. Known values complete no task until the person's next message. */
  again: false,
  /** The agent has spoken during this visit. */
  spoken: false,
  /** The person has answered, or something was recorded. */
  answered: false,
  /** Messages of the person during this visit. */
  turns: 0,
  /** Messages of the person since the last recorded value or task. */
  idleTurns: 0,
};

/** What a plan adds to a conversation, besides fields that are absent at first. */
type Begun = Readonly<Omit<typeof begun, keyof ConversationContext>>;

const begun = {
  ...freshConversation,
  visit: freshVisit as Visit,
  /**
   * States left or entered since the last outside event. None of them is entered again before the next event, so chains
   * of transitions end.
   */
  visited: [] as readonly string[],
  /** The status of tasks, by state and task id. A state is added when it is first entered. */
  tasks: {} as Readonly<Record<string, Readonly<Record<string, TaskStatus>>>>,
  deliverables: {} as Readonly<Record<string, DeliverableRecord>>,
  /** The kind of data that the current update has recorded so far. */
  noted: 'nothing' as 'nothing' | 'insight' | 'progress',
  /** Values refused since the last reply, with reasons. The next reply explains them. */
  refused: [] as readonly Refusal[],
  /** The state left since the last reply, so that the next reply can make a transition; null without a move. */
  cameFrom: null as string | null,
  /** `completed`, `cancelled`, `ended_by_agent`, or an outcome of the author. */
  outcome: null as string | null,
  /** The agent's reason for ending the conversation, if it gave one. */
  reason: null as string | null,
};

/** The visit after something was recorded. */
export function progressed({ visit }: PlanContext): Visit {
  const { idleBefore: _, digressions, ...rest } = visit;
  return {
    ...rest,
    idleTurns: 0,
    ...(digressions && { digressions: { ...digressions, idle: 0 } }),
  };
}

/** Notes the old value when a value that may have decided something has changed. */
export function correctedFrom(
  { corrected, decisions }: PlanContext,
  previous: Readonly<Record<string, Json>>,
): Partial<PlanContext> {
  return decisions ? { corrected: { ...previous, ...corrected } } : {};
}

/** A record without some of its keys. */
export function without<Value>(
  record: Readonly<Record<string, Value>>,
  keys: readonly string[],
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));
}

/** The result of a conversation: the actor's output, and the last event that it emits. */
export function result({ context }: { readonly context: PlanContext }): PlanOutput {
  const volunteered = valuesOf(context.volunteered ?? {});
  return {
    outcome: context.outcome ?? 'completed',
    state: context.lastState,
    ...(context.reason === null ? {} : { reason: context.reason }),
    deliverables: collected(context),
    ...(Object.keys(volunteered).length === 0 ? {} : { volunteered }),
  };
}

/** The values of the deliverables, by key. */
export function collected({ deliverables }: Pick<PlanContext, 'deliverables'>): JsonObject {
  return valuesOf(deliverables);
}

function valuesOf(records: PlanContext['deliverables']): JsonObject {
  return Object.fromEntries(Object.entries(records).map(([key, { value }]) => [key, value]));
}

/** Fields of the actor's input besides those that every conversation has. */
export const inputFields = ['session'];

/** The settings of a plan for the beginning of a conversation. */
export interface PlanStart {
  readonly initial_state_id: string;
  readonly session_context: readonly FormField[];
  readonly opening: Opening;
  readonly endless?: true;
}

/**
 * The first context. Required session fields must be in the actor's input.
 *
 * @throws InputError with every field that is missing, unknown or does not fit
 */
export const start: ContextMaker<PlanContext, PlanStart> = ({ input }, params) => {
  const { fields, conversation, opening, problems } = readConversationInput(input, inputFields);
  const session = readSession(fields['session'], params.session_context, problems);
  refuseInput(problems, 'Pass { session: { ... } } as the input of the actor.');
  return {
    conversation,
    opening: opening ?? params.opening,
    session,
    ...begun,
    state: params.initial_state_id,
    addressed: params.initial_state_id,
    lastState: params.initial_state_id,
    ...(params.endless && { endless: true }),
  };
};

function readSession(input: unknown, fields: readonly FormField[], problems: string[]): JsonObject {
  if (input !== undefined && !isRecord(input)) problems.push('"session" must be an object');
  const given = isRecord(input) ? input : {};
  const session: [string, Json][] = [];
  for (const field of fields) {
    const value = Object.hasOwn(given, field.id) ? given[field.id] : field.default_value;
    if (value === undefined || value === null || value === '') {
      if (field.required) problems.push(`"${field.id}" (${field.label}) is missing`);
      continue;
    }
    const fitting = fit(value, field);
    if (fitting === undefined) problems.push(`"${field.id}" must be ${whatItIs(field)}`);
    else session.push([field.id, fitting]);
  }
  const known = fields.map(({ id }) => id);
  problems.push(...unknownFields(given, known, 'session'));
  return Object.fromEntries(session);
}

function fit(value: unknown, { type, options }: FormField): Json | undefined {
  switch (type) {
    case 'number':
      return toNumber(value);
    case 'boolean':
      return isScalar(value) ? own({ true: true, false: false }, String(value)) : undefined;
    case 'select':
      return options.find((option) => option === value);
    case 'string':
      return isScalar(value) ? String(value) : undefined;
  }
}

function whatItIs({ type, options }: FormField): string {
  if (type === 'select') return `one of ${options.map((option) => `"${option}"`).join(', ')}`;
  return { number: 'a number', boolean: 'true or false', string: 'a text' }[type];
}
