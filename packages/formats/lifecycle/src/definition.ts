import { isRecord, type Json, type Path } from '@dramaturg/compiler';
import type { Pattern, Rule } from '@dramaturg/compiler/format';
import { decides, described, nullish, optional } from '@dramaturg/compiler/shapes';
import * as z from 'zod/mini';
import type { Times } from './times.ts';
import type { ActionWord, GuardWord, Kind, TurnKind, wordMeanings } from './vocabulary.ts';

/**
 * The shape of a lifecycle as authored, in every layout that is accepted: docs/formats/lifecycle.md#layouts. The schema
 * depends on the value, so that findings are about the layout that the author meant.
 */
const text = z.string();
const texts = z.union([text, z.array(text)]);

const action = z.union([text, z.record(text, z.unknown())]);
const scalar = z.union([text, z.number(), z.boolean(), z.null()]);
const guard = z.union([
  text,
  z.strictObject({
    event: described(z.record(text, scalar), 'Fields of the event, and their values.'),
  }),
]);

const state = z.object({
  kind: optional(
    text,
    'initial, normal (the default), working, waiting, suspended or terminal.',
    decides,
  ),
  description: optional(text, 'For people.'),
  timer: optional(
    z.union([
      text,
      z.object({
        event: described(text, 'The event that is raised.'),
        after_ms: optional(z.number(), 'Milliseconds; the heartbeat when left out.', decides),
      }),
    ]),
    'The event that is raised when the timer is due; with after_ms the time.',
    decides,
  ),
  entry: optional(z.array(action), 'Actions whenever the state is entered.'),
  holds_contact: optional(
    z.boolean(),
    'false: in this state, other instances may hold the contact.',
    decides,
  ),
});

const namedState = z.extend(state, { name: described(text, 'The name of the state.') });

const effects = {
  id: optional(text, 'A number or name for readers.'),
  guard: nullish(guard, 'When the row is taken: a word, or the fields of the event.', decides),
  actions: optional(z.array(action), 'The actions of the transition.', decides),
  raise: optional(text, 'An event for the instance itself, handled in the same step.'),
  additive: optional(
    z.boolean(),
    'true: the row is left out where the policy strict is set.',
    decides,
  ),
  description: optional(text, 'For people.'),
};

const row = z
  .object({
    from: described(
      z.nullable(texts),
      'A state, a list of states, "*" for any that is not terminal, or null for a new instance.',
    ),
    event: nullish(
      texts,
      'The event, or a list of events; by default the name of the target.',
      decides,
    ),
    always: optional(
      z.boolean(),
      'true: the row needs no event, and is taken as soon as its guard holds.',
      decides,
    ),
    to: nullish(
      text,
      'A state; $previous is the one before. Left out, the instance stays in its state.',
    ),
    ...effects,
  })
  .check(decides);

export const rowFields = Object.keys(row.shape);

/** A row in a map of transitions: the keys of the map name the state and the event. */
const cell = z
  .object({
    to: nullish(text, 'A state; null leads back to the one before.'),
    ...effects,
  })
  .check(decides);

const timerPolicy = z.enum(['deadline', 'remaining', 'restart']);

const heartbeat = z.strictObject({
  interval_ms: optional(z.number(), 'The time between two heartbeats in milliseconds.'),
  max_followups: optional(z.number(), 'How many follow-ups are sent.'),
  max_failures: optional(z.number(), 'How many failed follow-ups in a row are allowed.'),
  budget: optional(
    z.enum(['consecutive', 'lifetime']),
    'Whether the count of follow-ups begins anew after an answer.',
  ),
  resume_timer: optional(timerPolicy, 'What happens to the timer after a pause.'),
  restart_timer: optional(timerPolicy, 'What happens to the timer after a restart of the host.'),
});

const modelFailure = z.strictObject({
  attempts: optional(z.number(), 'How often a failed turn is tried.'),
  delay_ms: optional(z.number(), 'The time before the first retry in milliseconds.'),
  backoff_rate: optional(z.number(), 'The factor by which delays grow.'),
  max_delay_ms: optional(z.number(), 'The longest delay in milliseconds.'),
});

const wordList = z.optional(z.array(text));

const wordsOfLanguage = z.strictObject({
  stop: described(wordList, 'Nothing is sent to the contact on the channel any more.'),
  start: described(wordList, 'Messages are sent again after a stop.'),
  person: described(wordList, 'Asks for a person.'),
  restart: described(wordList, 'The conversation begins anew.'),
  help: described(wordList, 'Answers with "help_text".'),
  help_text: optional(text, 'The answer to a word of "help".'),
});

const settle = z.strictObject({
  quiet_ms: optional(
    z.number(),
    'How long the contact is to be quiet before a turn begins, in milliseconds.',
  ),
  most_ms: optional(z.number(), 'The longest wait from the first message on, in milliseconds.'),
});

const fallbacks = z.strictObject({
  waiting_after_ms: optional(
    z.number(),
    'How long the contact waits for a reply before hearing "waiting", in milliseconds.',
  ),
  waiting: optional(text, 'What is said while the reply takes long.'),
  failed: optional(text, 'What is said when no reply can be made.'),
  language: optional(text, 'The language of sentences that are left out.'),
});

const clock = (meaning: string) => described(text, `${meaning}, such as "21:00".`);

const quietHours = z.strictObject({ from: clock('When they begin'), to: clock('When they end') });

const calendar = z.strictObject({
  working_days: optional(
    z.array(z.enum(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'])),
    'Monday to Friday by default.',
  ),
  from: z.optional(clock('When work begins')),
  to: z.optional(clock('When work ends')),
  holidays: optional(
    z.union([z.array(text), text]),
    'Dates, such as "2026-12-25"; or the text of an iCalendar file.',
  ),
});

const reminder = z.strictObject({
  after: described(text, 'Such as "2h", "1 day" or "1 working day at 09:00".'),
  text: optional(text, 'What is sent; by default the agent writes it.'),
});

const policies = z.strictObject({
  heartbeat: optional(heartbeat, 'How an instance follows up when nobody answers.'),
  model_failure: optional(modelFailure, 'How failed turns are retried.'),
  settle: optional(settle, 'How several messages that are sent one after another become one turn.'),
  fallbacks: optional(fallbacks, 'What a contact hears who waits for a reply in vain.'),
  overlap: optional(
    z.enum(['queue', 'supersede']),
    'What a message does that comes while the reply is being made: it waits for the next turn, or the reply is made again.',
  ),
  pick_up: optional(
    z.enum(['at_once', 'when_available']),
    'Whether an agent is called at once, or when one is available.',
  ),
  strict: optional(z.boolean(), 'Whether rows marked as additive are left out.'),
  words: optional(
    z.record(text, wordsOfLanguage),
    'Words that act at once when they are a whole message, by language code.',
  ),
  time_zone: optional(
    text,
    'The time zone of the contacts, such as "Europe/Berlin"; UTC by default.',
  ),
  quiet_hours: optional(quietHours, 'When no reminder is sent.'),
  calendar: optional(calendar, 'When reminders are sent: working days and hours.'),
  reminders: optional(
    z.array(reminder),
    'The reminders, in their order, instead of the interval of the heartbeat.',
  ),
  after_end: optional(
    z.union([
      z.strictObject({ text: described(text, 'The sentence that is sent.') }),
      z.literal('start'),
    ]),
    'What a contact gets who writes after the end: a text, or "start": a new instance.',
  ),
});

/** The fields of a lifecycle that have one layout. */
export const root = z.object({
  format: optional(z.literal('lifecycle'), 'The name of this format.'),
  id: optional(text, 'The id of the lifecycle.'),
  title: optional(text, 'The name for people.'),
  description: optional(text, 'For people.'),
  initial: optional(text, 'The state in which an instance begins.'),
  terminal: optional(z.array(text), 'The states in which it ends.', decides),
  rows: optional(z.array(row), 'Another name of "transitions".'),
  policies: optional(policies, 'How turns, timers and follow-ups behave.', decides),
});

export const statesInList = z.array(z.union([text, namedState]));
export const statesByName = z.record(text, z.union([text, state]));
export const rowsInList = z.array(row);
export const rowsByState = z.record(
  text,
  z.record(text, z.union([z.nullable(text), cell, z.array(cell)])),
);

/** The shape that fits a value. */
export function shapeOf(value: unknown): z.ZodMiniType {
  const { states, transitions } = isRecord(value) ? value : {};
  const isMap = isRecord(transitions) && !isRowsUnderKeys(transitions);
  return z.extend(root, {
    states: isRecord(states) ? statesByName : statesInList,
    transitions: isMap ? rowsByState : z.optional(rowsInList),
  });
}

/** Whether rows in an object with arbitrary keys are meant as a list, not as a map from states to events. */
export function isRowsUnderKeys(written: Record<string, unknown>): boolean {
  const rows = Object.values(written);
  return rows.length > 0 && rows.every((one) => isRecord(one) && Object.hasOwn(one, 'from'));
}

/** There are no compile options: every choice is a policy of the definition. */
export const lifecycleOptions = z.strictObject({});
export type LifecycleOptions = z.infer<typeof lifecycleOptions>;

/** A rule of meaning for lifecycles. */
export type LifecycleRule = Rule<Lifecycle, LifecycleOptions>;

export type Scalar = z.infer<typeof scalar>;

/** A lifecycle as it may be authored, for definitions in TypeScript. */
export type LifecycleDefinition = {
  readonly format?: 'lifecycle';
  readonly id?: string;
  readonly title?: string;
  readonly description?: string;
  readonly initial?: string;
  readonly terminal?: readonly string[];
  readonly states: Readonly<Record<string, string | AuthoredState>>;
  readonly transitions: readonly AuthoredRow[];
  readonly policies?: AuthoredPolicies;
};

export interface AuthoredState {
  readonly kind?: string;
  readonly description?: string;
  readonly timer?: string | { readonly event: string; readonly after_ms?: number };
  readonly entry?: readonly AuthoredAction[];
  readonly holds_contact?: boolean;
}

export interface AuthoredRow {
  readonly id?: string;
  readonly from: string | readonly string[] | null;
  readonly event?: string | readonly string[];
  readonly always?: true;
  readonly guard?: GuardWord | { readonly event: Readonly<Record<string, Scalar>> };
  readonly to?: string;
  readonly actions?: readonly AuthoredAction[];
  readonly raise?: string;
  readonly additive?: true;
  readonly description?: string;
}

export type AuthoredAction =
  | ActionWord
  | { readonly [Word in ActionWord]?: string | Readonly<Record<string, TurnKind>> };

export type AuthoredPolicies = z.input<typeof policies>;

/** A lifecycle in one spelling, all defaults filled in. `at` is the path of a part in the definition as authored. */
export interface Lifecycle {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  /** The state in which instances begin unless a row of creation differs; undefined if none or several are named. */
  readonly initial: string | undefined;
  readonly initialAt: Path;
  /** The states that `terminal` lists. */
  readonly terminal: readonly NamedState[];
  readonly states: readonly State[];
  readonly statesAt: Path;
  /** Some states have unreadable names, which the shape check reports. */
  readonly hasNameless: boolean;
  /** The paths that define which state leads to which. */
  readonly wiring: readonly Pattern[];
  readonly rows: readonly Row[];
  readonly policies: Policies;
}

export interface State {
  readonly name: string;
  readonly kind: Kind;
  readonly description: string;
  readonly timer: StateTimer | undefined;
  readonly entry: readonly Use[];
  readonly holds_contact: boolean;
  /** Some row leads from here back to the previous state. */
  readonly returns: boolean;
  readonly at: Path;
}

export interface StateTimer {
  /** The event that the timer raises. */
  readonly event: string;
  /** In milliseconds; undefined means the heartbeat of the instance. */
  readonly after_ms: number | undefined;
  /** The timer is due once the contact has been quiet for a time. */
  readonly settle?: QuietWindow;
  readonly at: Path;
}

/** Absent sentences are those of the language. */
export interface Fallbacks {
  readonly waiting_after_ms: number;
  readonly waiting?: string;
  readonly failed?: string;
  readonly language?: string;
}

/** A row of the table for one event. An authored row for several events becomes several of these. */
export interface Row {
  readonly id: string;
  readonly from: From;
  /** Undefined for a row that is taken immediately, without an event. */
  readonly event: string | undefined;
  readonly guard: GuardUse | undefined;
  readonly to: Target | undefined;
  readonly actions: readonly Use[];
  readonly raise: { readonly event: string; readonly at: Path } | undefined;
  readonly description: string;
  readonly at: Path;
  readonly eventAt: DocumentLocation;
}

/** Where a row starts: in the creation of an instance, in any state that is not terminal, or in some states. */
export type From =
  | { readonly kind: 'nothing'; readonly at: DocumentLocation }
  | { readonly kind: 'any'; readonly at: DocumentLocation }
  | { readonly kind: 'states'; readonly states: readonly NamedState[] };

interface NamedState {
  readonly name: string;
  readonly at: DocumentLocation;
}

/** Where a row leads: to a state, or back to the previous state. */
export type Target =
  | { readonly kind: 'state'; readonly name: string; readonly at: Path }
  | { readonly kind: 'previous'; readonly at: Path };

/** A path, and whether it means the key there instead of the value. */
export interface DocumentLocation {
  readonly path: Path;
  readonly at?: 'key';
}

/** A use of a word of the vocabulary. The word may be unknown. */
export interface Use {
  readonly word: string;
  readonly argument: Json | undefined;
  readonly at: Path;
}

export type GuardUse =
  | { readonly kind: 'word'; readonly word: string; readonly at: Path }
  | {
      readonly kind: 'event';
      readonly fields: Readonly<Record<string, Scalar>>;
      readonly at: Path;
    };

export type TimerPolicy = z.infer<typeof timerPolicy>;

/** Spec: docs/formats/lifecycle.md#policies */
export interface Policies {
  readonly heartbeat: {
    readonly interval_ms: number;
    readonly max_followups: number;
    readonly max_failures: number;
    readonly budget: 'consecutive' | 'lifetime';
    readonly resume_timer: TimerPolicy;
    readonly restart_timer: TimerPolicy;
  };
  /** How often a failed call of a turn is tried, and the delays in between. */
  readonly model_failure: {
    readonly attempts: number;
    readonly delay_ms: number;
    readonly backoff_rate: number;
    readonly max_delay_ms: number;
  };
  /** A turn begins once the contact has been quiet for this time. */
  readonly settle: QuietWindow;
  /** Undefined when the contact receives no such sentences. */
  readonly fallbacks: Fallbacks | undefined;
  readonly overlap: 'queue' | 'supersede';
  readonly pick_up: 'at_once' | 'when_available';
  readonly strict: boolean;
  readonly times: Times;
  readonly words: readonly PolicyWord[];
  readonly after_end: 'start' | { readonly text: string } | undefined;
}

/** A word with an immediate effect when it is a whole message. */
export interface PolicyWord {
  readonly text: string;
  readonly means: (typeof wordMeanings)[number];
  /** The answer to a word of help. */
  readonly says?: string;
  readonly at: Path;
}

export interface QuietWindow {
  /** With 0, a turn begins with the first message. */
  readonly quiet_ms: number;
  /** The longest wait, from the first message on. */
  readonly most_ms: number;
}
