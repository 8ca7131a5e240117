import type { Approval } from '../definition/index.ts';
import { parseDuration } from '../data/timestamp.ts';

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
