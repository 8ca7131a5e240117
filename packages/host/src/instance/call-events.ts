import { type EventObject, isRecord, type PortError } from '@dramaturg/compiler';
import { withoutSecrets } from '@dramaturg/compiler/secrets';
import { noChanges, type OpenCall } from '../xstate/open-call.ts';
import type { DeliveryEvent, HostEvent } from './event.ts';
import { decisionId } from './open-decisions.ts';
import type { FlowRun } from './flow-run.ts';
import { optionalText } from './read.ts';

type CallEvent = DeliveryEvent & { readonly type: 'call.started' | 'call.ended' };
type CallEnded = CallEvent & { readonly type: 'call.ended' };
type Call = Pick<OpenCall, 'port' | 'key'>;

/** Timers have events of their own, and there are many. */
const isReported = ({ port }: Call): boolean => port !== 'timer';

/** Whether earlier releases did not record an event. */
export function isLaterEvent({ type }: EventObject): boolean {
  return type === 'call.started' || type === 'call.ended' || type === 'turn.ended';
}

/** The event of a turn whose end is reported to the lifecycle. */
export function turnEnded({ type, turn, reason }: EventObject): DeliveryEvent | undefined {
  if (type !== 'turn.ended' && type !== 'turn.failed') return undefined;
  const event = { type: 'turn.ended', turn: optionalText(turn) } as const;
  if (type === 'turn.ended') return { ...event, outcome: 'completed' };
  return { ...event, outcome: 'failed', because: withoutSecrets(optionalText(reason)) };
}

export function callAnswered(call: Call, output: unknown): CallEvent | undefined {
  if (!isReported(call)) return undefined;
  const { decision } = call.port === 'requestDecision' && isRecord(output) ? output : {};
  const answered = ended(call, 'answered');
  return typeof decision === 'string' ? { ...answered, decision } : answered;
}

export function callFailed(call: Call, { code, message }: PortError): CallEvent | undefined {
  if (!isReported(call)) return undefined;
  return { ...ended(call, 'failed'), error: code, because: withoutSecrets(message) };
}

function ended({ port, key }: Call, outcome: CallEnded['outcome']): CallEnded {
  return { type: 'call.ended', port, key, outcome };
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
  readonly #flowRun: FlowRun | undefined;
  #reminder: string | undefined;

  constructor(flowRun: FlowRun | undefined) {
    this.#flowRun = flowRun;
    this.#reminder = this.#reminderNow;
  }

  /** @param emitted the events of the step so far */
  take(emitted: readonly HostEvent[]): CallEvent[] {
    const { made, abandoned } = this.#flowRun?.takeCallChanges() ?? noChanges;
    const events: CallEvent[] = [
      ...abandoned.filter(isReported).map((call) => ended(call, 'abandoned')),
      ...made.filter(isReported).map(started),
    ];
    const [before, now] = [this.#reminder, this.#reminderNow];
    this.#reminder = now;
    if (before === now) return events;
    const port = 'reply';
    const hasEnded = ({ event: { type, key } }: HostEvent) =>
      type === 'call.ended' && key === before;
    if (before !== undefined && !emitted.some(hasEnded))
      events.push(ended({ port, key: before }, 'abandoned'));
    if (now !== undefined) events.push({ type: 'call.started', port, key: now });
    return events;
  }

  get #reminderNow(): string | undefined {
    return this.#flowRun?.state.turn?.followUp?.key;
  }
}
