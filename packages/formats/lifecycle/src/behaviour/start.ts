import { InputError, isRecord } from '@dramaturg/compiler';
import { type ContextMaker, inSentences } from '@dramaturg/compiler/format';
import { isTimeZone } from '@dramaturg/compiler/text';
import { unknownFields } from '@dramaturg/compiler/shapes';
import * as z from 'zod/mini';
import {
  type HeartbeatConfig,
  type LifecycleContext,
  type Todo,
  todoStatuses,
} from '../context.ts';
import {
  longestDelay,
  longestEvent,
  longestId,
  longestKey,
  longestTodo,
  mostTodos,
} from '../limits.ts';
import { create } from '../names.ts';
import type { Times } from '../times.ts';
import { wordMeanings } from '../vocabulary.ts';

/**
 * The fields of the actor's input. `objective`, `target_contact` and `channel` of a creation request are only for the host: the
 * table does not read them. `id` is used when `instance` is absent.
 */
const inputFields = [
  'instance',
  'id',
  'event',
  'queued',
  'heartbeat_config',
  'todos',
  'objective',
  'target_contact',
  'channel',
  'time_zone',
  'caller',
];

/**
 * Creates the first context, before any state is entered.
 *
 * @throws InputError with everything in the input that does not fit
 */
export const start: ContextMaker<LifecycleContext, HeartbeatConfig> = ({ input }, usual) => {
  const fields = isRecord(input) ? input : {};
  const problems: string[] = unknownFields(fields, inputFields);
  const instance =
    readText(fields['instance'] ?? fields['id'], 'instance', longestKey, problems) ?? 'instance';
  const created_by = readText(fields['event'], 'event', longestEvent, problems) ?? create;
  const heartbeat_config = readHeartbeat(fields['heartbeat_config'], usual, problems);
  const todos = readTodos(fields['todos'], problems);
  const time_zone = readText(fields['time_zone'], 'time_zone', longestId, problems);
  if (time_zone !== undefined && !isTimeZone(time_zone))
    problems.push('"time_zone" must be the name of a time zone, such as "Europe/Berlin"');
  const caller = readCaller(fields['caller'], problems);
  if (problems.length > 0)
    throw new InputError(`The instance cannot be created: ${inSentences(problems)}`, problems);
  return {
    instance,
    created_by,
    queued: fields['queued'] === true,
    state: '',
    came_from: null,
    previous_state: null,
    holds_contact: false,
    heartbeat_config,
    ...(time_zone !== undefined && { time_zone }),
    ...(caller && { caller }),
    heartbeat_override_ms: null,
    timer: null,
    timers: 0,
    follow_up_count: 0,
    failure_streak: 0,
    turn: null,
    turn_counter: 0,
    frozen: null,
    inbox_count: 0,
    seen: [],
    message_counter: 0,
    addressed: false,
    contact_begins: false,
    todos,
    end_reason: null,
    failure_reason: null,
    intervention_reason: null,
    cancel_reason: null,
  };
};

const hours = z.object({ from: z.string(), to: z.string() });

/** The policies of another lifecycle, as its chart has them. */
const callerShape = z.strictObject({
  time_zone: z.optional(z.string().check(z.refine(isTimeZone))),
  quiet_hours: z.optional(hours),
  calendar: z.optional(
    z.extend(hours, { working_days: z.array(z.string()), holidays: z.array(z.string()) }),
  ),
  words: z.optional(
    z.array(
      z.object({ text: z.string(), means: z.enum(wordMeanings), says: z.optional(z.string()) }),
    ),
  ),
  language: z.optional(z.string()),
});

function readCaller(given: unknown, problems: string[]): Times | undefined {
  if (given === undefined) return undefined;
  const { success, data } = callerShape.safeParse(given);
  if (success) return data as Times;
  problems.push('"caller" must have the policies of a lifecycle');
  return undefined;
}

function readText(
  given: unknown,
  name: string,
  longest: number,
  problems: string[],
): string | undefined {
  if (given === undefined) return undefined;
  if (typeof given === 'string' && given !== '' && given.length <= longest) return given;
  problems.push(`"${name}" must be a text of 1 to ${longest} characters`);
  return undefined;
}

/** Absent fields have the values of the definition. */
function readHeartbeat(
  given: unknown,
  usual: HeartbeatConfig,
  problems: string[],
): HeartbeatConfig {
  if (given === undefined) return usual;
  if (!isRecord(given)) {
    problems.push('"heartbeat_config" must be an object');
    return usual;
  }
  problems.push(...unknownFields(given, ['interval_ms', 'max_followups'], 'heartbeat_config'));
  const { interval_ms = usual.interval_ms, max_followups = usual.max_followups } = given;
  if (!isWhole(interval_ms) || interval_ms < 1 || interval_ms > longestDelay)
    problems.push(
      `"heartbeat_config.interval_ms" must be a whole number from 1 to ${longestDelay}`,
    );
  if (!isWhole(max_followups) || max_followups < 0)
    problems.push('"heartbeat_config.max_followups" must be a whole number from 0 on');
  return { interval_ms: Number(interval_ms), max_followups: Number(max_followups) };
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function readTodos(given: unknown, problems: string[]): readonly Todo[] {
  if (given === undefined) return [];
  if (!Array.isArray(given) || given.length > mostTodos) {
    problems.push(`"todos" must be a list of at most ${mostTodos} items`);
    return [];
  }
  const todos = given.map((item: unknown, index) => readTodo(item, index, problems));
  if (new Set(todos.map(({ id }) => id)).size < todos.length)
    problems.push('two items of "todos" have the same "id"');
  return todos;
}

function readTodo(item: unknown, index: number, problems: string[]): Todo {
  const place = `todos[${index}]`;
  const fields = isRecord(item) ? item : {};
  problems.push(...unknownFields(fields, ['id', 'text', 'status'], place));
  const id = readText(fields['id'], `${place}.id`, longestId, problems) ?? `todo-${index + 1}`;
  const text = fields['text'];
  if (typeof text !== 'string' || text.trim() === '' || text.length > longestTodo)
    problems.push(`"${place}.text" must be a text of 1 to ${longestTodo} characters`);
  const { status: word = 'pending' } = fields;
  const status = todoStatuses.find((known) => known === word);
  if (!status) problems.push(`"${place}.status" must be one of ${todoStatuses.join(', ')}`);
  return { id, text: String(text), status: status ?? 'pending' };
}
