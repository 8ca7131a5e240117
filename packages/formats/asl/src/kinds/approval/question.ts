import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import type { Decision, Edits } from '@dramaturg/compiler/machine';
import { StatesError, toText } from '../../data/states-error.ts';
import { compileTemplate } from '../../data/template.ts';
import { parseDuration } from '../../data/timestamp.ts';
import type { Dialect } from '../../definition/machine.ts';
import { evaluation } from '../../flow/jsonpath-flow.ts';
import { compileOptionalSource, fillPlaceholders } from '../../flow/value-source.ts';
import type { Run } from '../../flow/run.ts';
import type { Approval } from './definition.ts';

/** The state of an Approval while it waits. */
export interface ApprovalWork extends BatchWork, FilledPrompt {
  /** Milliseconds since 1970 UTC: the start of the reminders. */
  readonly askedAt: number;
  /** The person who may not decide, because the request is their own. */
  readonly requestor?: string;
  /** How often the question was asked. */
  readonly timesAsked: number;
  /** How many of its reminders were emitted. */
  readonly remindersEmitted: number;
  /** Approvals so far, where several are required. */
  readonly approvals: readonly Approved[];
  /** All edits so far. */
  readonly edits?: Edits;
  /** The data of all decisions so far; later ones replace fields of earlier ones. */
  readonly data?: JsonObject;
  /** How often an approval has changed the question. */
  readonly revisions: number;
  /** The timeout was extended once. */
  readonly extended?: true;
  readonly decision?: Decision;
}

/** A type and not an interface, so that it is a `JsonObject`. */
export type Approved = {
  readonly approver: string;
  readonly timestamp: string;
  readonly comment?: string;
  readonly data?: JsonObject;
};

/** The slice of the visit that an Approval owns. */
export interface ApprovalVisit {
  readonly approval: ApprovalWork;
  /** Milliseconds since 1970 UTC. */
  readonly timeoutAt?: number;
}

/** The prompt of an Approval, filled with data. */
interface FilledPrompt {
  /** All that the person sees. */
  readonly prompt: string;
  /** The fields of a prompt that has several. */
  readonly details?: JsonObject;
}

type FillPrompt = (run: Run, selected: Json) => FilledPrompt;

/** Only the authored prompt has placeholders: data with braces stay unchanged. Agent 6 §Rich prompts */
export function compilePrompt({ Prompt: source }: Approval, dialect: Dialect): FillPrompt {
  const read = compileOptionalSource(source, dialect, 'Prompt');
  if (!source || !read) return () => ({ prompt: '' });
  if (!('value' in source)) return (run, selected) => promptOf(read(run, selected));
  const { value: authored } = source;
  return (run, selected) => {
    const filled = filledIn(authored, (text) => fillPlaceholders(text, run, selected));
    return promptOf(compileTemplate(filled, dialect, 'Prompt')(evaluation(run, selected)));
  };
}

function promptOf(value: Json): FilledPrompt {
  return isRecord(value) ? { prompt: textOf(value), details: value } : { prompt: toText(value) };
}

/** Fills the placeholders of a prompt as authored. Its queries, the fields that end in `.$`, have none. */
function filledIn(value: Json, fill: (text: string) => string): Json {
  if (typeof value === 'string') return fill(value);
  if (Array.isArray(value)) return value.map((item: Json) => filledIn(item, fill));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]): [string, Json] => [
      name,
      name.endsWith('.$') ? item : filledIn(item, fill),
    ]),
  );
}

/** The title and the description, then a line for each other field. */
function textOf({ Title: title, Description: description, ...fields }: JsonObject): string {
  const [first, second] = [title, description].map((part) =>
    part === undefined ? [] : [toText(part)],
  );
  const rest = isNested(fields) ? linesOf(fields, 0).join('\n') : '';
  return [...first!, ...second!, ...(rest === '' ? [] : [rest])].join('\n\n');
}

/** Data that are nested deeper are shown as JSON. */
const deepest = 8;

function linesOf(value: Json, depth: number): string[] {
  if (isNested(value) && depth < deepest) {
    return Array.isArray(value)
      ? value.flatMap((item: Json) => indented(linesOf(item, depth + 1), '- '))
      : Object.entries(value as JsonObject).flatMap(([name, item]) => field(name, item, depth));
  }
  return toText(value).split('\n');
}

/** A field in one line, or its lines below its name. So a string of several lines cannot look like other fields. */
function field(name: string, value: Json, depth: number): string[] {
  const lines = linesOf(value, depth + 1);
  return isNested(value) || lines.length > 1
    ? [`${name}:`, ...indented(lines, '  ')]
    : [`${name}: ${lines.join('')}`];
}

/** An empty list or object has no lines of its own. */
function isNested(value: Json): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

function indented(lines: readonly string[], first: string): string[] {
  return lines.map((line, index) => `${index === 0 ? first : '  '}${line}`);
}

/** The state of a batch while an Approval waits. Agent 6 §Batches */
interface BatchWork {
  /** The list to decide on. */
  readonly items?: readonly Json[];
  /** The indexes of the items that everybody has approved so far; all of them when absent. */
  readonly remaining?: readonly number[];
}

export function itemsIn(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value as readonly Json[];
  throw new StatesError('States.Runtime', 'The ItemsPath of the Approval does not lead to a list.');
}

/** The indexes of the items in the next question. An edit may have made the list shorter. */
export function remainingItems({ items = [], remaining }: BatchWork): readonly number[] {
  return remaining?.filter((index) => index < items.length) ?? [...items.keys()];
}

/** The indexes of the items that a decision approves. The decision counts in the list of its question. */
export function approvedItems(work: BatchWork, { approved }: Decision): readonly number[] {
  const chosen = approved && new Set(approved);
  return remainingItems(work).filter((_, index) => chosen?.has(index) ?? true);
}

/** A number below 1 is a share of the items. */
export function requiredItems(written: number, count: number): number {
  return written > 0 && written < 1 ? Math.ceil(written * count) : Math.ceil(written);
}

/** The fields of the record about the items. */
export function batchRecord(items: readonly Json[], approved: readonly number[]): JsonObject {
  const chosen = new Set(approved);
  return {
    approved: items.filter((_, index) => chosen.has(index)),
    rejected: items.filter((_, index) => !chosen.has(index)),
    approvalRate: items.length === 0 ? 0 : chosen.size / items.length,
  };
}

/** A message to people about an open question. */
export interface Reminder {
  /** Milliseconds after the question was asked. */
  readonly after: number;
  /** Counts the steps of an escalation from 1; undefined for a plain notification. */
  readonly level?: number;
  readonly notify: readonly Address[];
  readonly message?: string | undefined;
  /** The person who may also decide from then on. */
  readonly to?: string | undefined;
  /** The question is approved without an answer. */
  readonly approves?: true;
}

/** The recipient of a reminder, and a channel of the host if the definition names one. */
export interface Address {
  readonly channel?: string;
  readonly to: string;
  readonly mention?: readonly string[];
}

/** Limits a step without `MaxTimes`: nobody answers the 101st reminder. */
const mostRepetitions = 100;

/**
 * The reminders of a question while nobody decides, in order of time: notifications, and the steps of its escalation
 * with their repetitions. Spec: Agent 6 §Escalation, §Notifications
 */
export function remindersOf({ Escalation: escalation, Notifications: notifications }: Approval) {
  const reminders: Reminder[] = notifications.map(({ Type, To, Mention, OnlyAfter }) => ({
    after: millisecondsOf(OnlyAfter),
    notify: (To.length > 0 ? To : ['']).map((to) => ({
      channel: Type,
      to,
      ...(Mention.length > 0 && { mention: Mention }),
    })),
  }));
  const steps: Omit<Reminder, 'level'>[] = [];
  for (const { After, Notify, Message, EscalateTo, AutoApprove, Repeat } of escalation) {
    const after = millisecondsOf(After);
    const step = { notify: Notify.map(addressOf), message: Message };
    steps.push({ ...step, after, to: EscalateTo, ...(AutoApprove && { approves: true as const }) });
    const every = millisecondsOf(Repeat?.Every);
    const times = Math.min(Repeat ? (Repeat.MaxTimes ?? mostRepetitions) : 0, mostRepetitions);
    for (let time = 1; time <= times; time += 1)
      steps.push({ ...step, after: after + every * time });
  }
  steps.sort((one, other) => one.after - other.after);
  steps.forEach((step, index) => reminders.push({ ...step, level: index + 1 }));
  return reminders.toSorted((one, other) => one.after - other.after);
}

function millisecondsOf(duration: string | undefined): number {
  return duration === undefined ? 0 : (parseDuration(duration) ?? 0);
}

/** `slack:#releases` goes to #releases on the channel "slack"; `ana@example.com` names no channel. */
function addressOf(text: string): Address {
  const at = text.indexOf(':');
  return at > 0 ? { channel: text.slice(0, at), to: text.slice(at + 1) } : { to: text };
}
