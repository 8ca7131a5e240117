import { isRecord, type Json, type Path } from '@dramaturg/compiler';
import type { Pattern } from '@dramaturg/compiler/format';
import * as z from 'zod/mini';
import type { Times } from './times.ts';
import type { ActionWord, GuardWord, Kind, TurnKind, wordMeanings } from './vocabulary.ts';

/**
 * The shape of a lifecycle as authored, in every layout that is accepted: docs/formats/lifecycle.md#layouts. The schema
 * depends on the value, so that findings are about the layout that the author meant.
 */
const text = z.string();
const texts = z.union([text, z.array(text)]);

/** If this field were misspelt, it would permit, limit or decide nothing: that is an error. */
const decides = z.meta({ decides: true });
const action = z.union([text, z.record(text, z.unknown())]);
const scalar = z.union([text, z.number(), z.boolean(), z.null()]);
const guard = z.union([
  text,
  z.strictObject({
    event: z.record(text, scalar).check(z.describe('Fields of the event, and their values.')),
  }),
]);

const state = z.object({
  kind: z
    .optional(text)
    .check(
      z.describe('initial, normal (the default), working, waiting, suspended or terminal.'),
      decides,
    ),
  description: z.optional(text).check(z.describe('For people.')),
  timer: z
    .optional(
      z.union([
        text,
        z.object({
          event: text.check(z.describe('The event that is raised.')),
          after_ms: z
            .optional(z.number())
            .check(z.describe('Milliseconds; the heartbeat when left out.'), decides),
        }),
      ]),
    )
    .check(
      z.describe('The event that is raised when the timer is due; with after_ms the time.'),
      decides,
    ),
  entry: z.optional(z.array(action)).check(z.describe('Actions whenever the state is entered.')),
  holds_contact: z
    .optional(z.boolean())
    .check(z.describe('false: in this state, other instances may hold the contact.'), decides),
});

const namedState = z.extend(state, { name: text.check(z.describe('The name of the state.')) });

const effects = {
  id: z.optional(text).check(z.describe('A number or name for readers.')),
  guard: z
    .nullish(guard)
    .check(z.describe('When the row is taken: a word, or the fields of the event.'), decides),
  actions: z.optional(z.array(action)).check(z.describe('The actions of the transition.'), decides),
  raise: z
    .optional(text)
    .check(z.describe('An event for the instance itself, handled in the same step.')),
  additive: z
    .optional(z.boolean())
    .check(z.describe('true: the row is left out where the policy strict is set.'), decides),
  description: z.optional(text).check(z.describe('For people.')),
};

const row = z
  .object({
    from: z
      .nullable(texts)
      .check(
        z.describe(
          'A state, a list of states, "*" for any that is not terminal, or null for a new instance.',
        ),
      ),
    event: z
      .nullish(texts)
      .check(
        z.describe('The event, or a list of events; by default the name of the target.'),
        decides,
      ),
    always: z
      .optional(z.boolean())
      .check(
        z.describe('true: the row needs no event, and is taken as soon as its guard holds.'),
        decides,
      ),
    to: z
      .nullish(text)
      .check(
        z.describe(
          'A state; $previous is the one before. Left out, the instance stays in its state.',
        ),
      ),
    ...effects,
  })
  .check(decides);

export const rowFields = Object.keys(row.shape);

/** A row in a map of transitions: the keys of the map name the state and the event. */
const cell = z
  .object({
    to: z.nullish(text).check(z.describe('A state; null leads back to the one before.')),
    ...effects,
  })
  .check(decides);

const timerPolicy = z.enum(['deadline', 'remaining', 'restart']);

const heartbeat = z.strictObject({
  interval_ms: z
    .optional(z.number())
    .check(z.describe('The time between two heartbeats in milliseconds.')),
  max_followups: z.optional(z.number()).check(z.describe('How many follow-ups are sent.')),
  max_failures: z
    .optional(z.number())
    .check(z.describe('How many failed follow-ups in a row are allowed.')),
  budget: z
    .optional(z.enum(['consecutive', 'lifetime']))
    .check(z.describe('Whether the count of follow-ups begins anew after an answer.')),
  resume_timer: z
    .optional(timerPolicy)
    .check(z.describe('What happens to the timer after a pause.')),
  restart_timer: z
    .optional(timerPolicy)
    .check(z.describe('What happens to the timer after a restart of the host.')),
});

const modelFailure = z.strictObject({
  attempts: z.optional(z.number()).check(z.describe('How often a failed turn is tried.')),
  delay_ms: z
    .optional(z.number())
    .check(z.describe('The time before the first retry in milliseconds.')),
  backoff_rate: z.optional(z.number()).check(z.describe('The factor by which delays grow.')),
  max_delay_ms: z.optional(z.number()).check(z.describe('The longest delay in milliseconds.')),
});

const wordList = z.optional(z.array(text));

const wordsOfLanguage = z.strictObject({
  stop: wordList.check(z.describe('Nothing is sent to the contact on the channel any more.')),
  start: wordList.check(z.describe('Messages are sent again after a stop.')),
  person: wordList.check(z.describe('Asks for a person.')),
  restart: wordList.check(z.describe('The conversation begins anew.')),
  help: wordList.check(z.describe('Answers with "help_text".')),
  help_text: z.optional(text).check(z.describe('The answer to a word of "help".')),
});

const settle = z.strictObject({
  quiet_ms: z
    .optional(z.number())
    .check(
      z.describe('How long the contact is to be quiet before a turn begins, in milliseconds.'),
    ),
  most_ms: z
    .optional(z.number())
    .check(z.describe('The longest wait from the first message on, in milliseconds.')),
});

const fallbacks = z.strictObject({
  waiting_after_ms: z
    .optional(z.number())
    .check(
      z.describe(
        'How long the contact waits for a reply before hearing "waiting", in milliseconds.',
      ),
    ),
  waiting: z.optional(text).check(z.describe('What is said while the reply takes long.')),
  failed: z.optional(text).check(z.describe('What is said when no reply can be made.')),
  language: z.optional(text).check(z.describe('The language of sentences that are left out.')),
});

const clock = (meaning: string) => text.check(z.describe(`${meaning}, such as "21:00".`));

const quietHours = z.strictObject({ from: clock('When they begin'), to: clock('When they end') });

const calendar = z.strictObject({
  working_days: z
    .optional(z.array(z.enum(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'])))
    .check(z.describe('Monday to Friday by default.')),
  from: z.optional(clock('When work begins')),
  to: z.optional(clock('When work ends')),
  holidays: z
    .optional(z.union([z.array(text), text]))
    .check(z.describe('Dates, such as "2026-12-25"; or the text of an iCalendar file.')),
});

const reminder = z.strictObject({
  after: text.check(z.describe('Such as "2h", "1 day" or "1 working day at 09:00".')),
  text: z.optional(text).check(z.describe('What is sent; by default the agent writes it.')),
});

const policies = z.strictObject({
  heartbeat: z
    .optional(heartbeat)
    .check(z.describe('How an instance follows up when nobody answers.')),
  model_failure: z.optional(modelFailure).check(z.describe('How failed turns are retried.')),
  settle: z
    .optional(settle)
    .check(z.describe('How several messages that are sent one after another become one turn.')),
  fallbacks: z
    .optional(fallbacks)
    .check(z.describe('What a contact hears who waits for a reply in vain.')),
  overlap: z
    .optional(z.enum(['queue', 'supersede']))
    .check(
      z.describe(
        'What a message does that comes while the reply is being made: it waits for the next turn, or the reply is made again.',
      ),
    ),
  pick_up: z
    .optional(z.enum(['at_once', 'when_available']))
    .check(z.describe('Whether an agent is called at once, or when one is available.')),
  strict: z
    .optional(z.boolean())
    .check(z.describe('Whether rows marked as additive are left out.')),
  words: z
    .optional(z.record(text, wordsOfLanguage))
    .check(z.describe('Words that act at once when they are a whole message, by language code.')),
  time_zone: z
    .optional(text)
    .check(z.describe('The time zone of the contacts, such as "Europe/Berlin"; UTC by default.')),
  quiet_hours: z.optional(quietHours).check(z.describe('When no reminder is sent.')),
  calendar: z
    .optional(calendar)
    .check(z.describe('When reminders are sent: working days and hours.')),
  reminders: z
    .optional(z.array(reminder))
    .check(z.describe('The reminders, in their order, instead of the interval of the heartbeat.')),
  after_end: z
    .optional(
      z.union([
        z.strictObject({ text: text.check(z.describe('The sentence that is sent.')) }),
        z.literal('start'),
      ]),
    )
    .check(
      z.describe(
        'What a contact gets who writes after the end: a text, or "start": a new instance.',
      ),
    ),
});

/** The fields of a lifecycle that have one layout. */
export const root = z.object({
  format: z.optional(z.literal('lifecycle')).check(z.describe('The name of this format.')),
  id: z.optional(text).check(z.describe('The id of the lifecycle.')),
  title: z.optional(text).check(z.describe('The name for people.')),
  description: z.optional(text).check(z.describe('For people.')),
  initial: z.optional(text).check(z.describe('The state in which an instance begins.')),
  terminal: z.optional(z.array(text)).check(z.describe('The states in which it ends.'), decides),
  rows: z.optional(z.array(row)).check(z.describe('Another name of "transitions".')),
  policies: z
    .optional(policies)
    .check(z.describe('How turns, timers and follow-ups behave.'), decides),
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
