import { type EventObject, isRecord, type PortError, withoutSecrets } from '@dramaturg/compiler';
import type { OpenCall } from '../xstate/open-call.ts';
import type { DeliveryEvent, HostEvent } from './event.ts';
import { decisionId } from './open-decisions.ts';
import type { Performance } from './performance.ts';
import { optionalText } from './read.ts';

type CallEvent = DeliveryEvent & { readonly type: 'call.started' | 'call.ended' };
type Call = Pick<OpenCall, 'port' | 'key'>;

/** Timers have events of their own, and there are many. */
const isReported = ({ port }: Call): boolean => port !== 'timer';

/** Whether an event is one that earlier releases did not record. */
export function isLaterEvent({ type }: EventObject): boolean {
  return type === 'call.started' || type === 'call.ended' || type === 'turn.ended';
}

/** The event of a turn whose end is reported to the lifecycle. */
export function turnEnded({ type, turn, reason }: EventObject): DeliveryEvent | undefined {
  if (type !== 'turn.ended' && type !== 'turn.failed') return undefined;
  const failed = { outcome: 'failed', because: withoutSecrets(optionalText(reason)) } as const;
  const outcome = type === 'turn.failed' ? failed : ({ outcome: 'completed' } as const);
  return { type: 'turn.ended', turn: optionalText(turn), ...outcome };
}

export function callAnswered(call: Call, output: unknown): CallEvent | undefined {
  const { decision } = call.port === 'requestDecision' && isRecord(output) ? output : {};
  return ended(call, {
    outcome: 'answered',
    ...(typeof decision === 'string' ? { decision } : {}),
  });
}

export function callFailed(call: Call, { code, message }: PortError): CallEvent | undefined {
  return ended(call, { outcome: 'failed', error: code, because: withoutSecrets(message) });
}

function ended(
  { port, key }: Call,
  ending: Pick<CallEvent & { type: 'call.ended' }, 'outcome' | 'decision' | 'error' | 'because'>,
): CallEvent | undefined {
  return isReported({ port, key }) ? { type: 'call.ended', port, key, ...ending } : undefined;
}

function started({ port, key, input, invocation }: OpenCall): CallEvent {
  const { agent, tool, id } = isRecord(input) ? input : {};
  const name = agent ?? tool;
  return {
    type: 'call.started',
    port,
    key,
    ...(typeof name === 'string' ? { name } : {}),
    ...(port === 'requestDecision' ? { decision: decisionId({ key, id }) } : {}),
    ...(invocation === undefined ? {} : { invocation }),
  };
}

/** Reports the calls that a step has decided or abandoned. Owns the key of the reminder that was open after the last step. */
export class CallEvents {
  readonly #performance: Performance | undefined;
  #reminder: string | undefined;

  constructor(performance: Performance | undefined) {
    this.#performance = performance;
    this.#reminder = this.#reminderNow;
  }

  /** @param emitted the events of the step so far */
  take(emitted: readonly HostEvent[]): CallEvent[] {
    const { made = [], abandoned = [] } = this.#performance?.takeCallChanges() ?? {};
    const events = [
      ...abandoned.flatMap((call) => ended(call, { outcome: 'abandoned' }) ?? []),
      ...made.filter(isReported).map(started),
    ];
    const [before, now] = [this.#reminder, this.#reminderNow];
    this.#reminder = now;
    if (before === now) return events;
    const port = 'reply';
    const hasEnded = ({ event: { type, key } }: HostEvent) =>
      type === 'call.ended' && key === before;
    if (before !== undefined && !emitted.some(hasEnded))
      events.push({ type: 'call.ended', port, key: before, outcome: 'abandoned' });
    if (now !== undefined) events.push({ type: 'call.started', port, key: now });
    return events;
  }

  get #reminderNow(): string | undefined {
    return this.#performance?.state.turn?.followUp?.key;
  }
}
