import {
  type EventObject,
  type Json,
  type JsonObject,
  type PortInput,
  type PortName,
  type PortOutput,
  type Ports,
  portSchemas,
  providePorts,
} from '@dramaturg/compiler';
import { failedTag, waitingTag } from '@dramaturg/compiler/chart';
import { type AnyActor, type AnyStateMachine, createActor, waitFor } from 'xstate';
import { firstDifference, describeDifference } from '@dramaturg/host/engine';

/** A conversation that can be repeated with the same result. */
export interface RepeatableConversation {
  readonly machine: AnyStateMachine;
  readonly input?: JsonObject;
  /** The events. Each is sent when the actor waits. No two messages have the same text. */
  readonly steps: readonly EventObject[];
  /** Answers a call. The answer depends only on the input of the call. */
  readonly answer: <Name extends PortName>(port: Name, asked: PortInput<Name>) => PortOutput<Name>;
  /** Whether the chart accepts a failure as the answer of a call: such calls are not failed here. */
  readonly takesFailure?: (port: PortName, asked: PortInput<PortName>) => boolean;
}

/**
 * Fails each call of a conversation, once and three times in a row, and continues the turn in every possible way. The context,
 * the events, the messages and the calls, with their keys and inputs, must be the same as without a failure.
 *
 * @returns the failures that changed the conversation, each with its first change; empty when none did
 */
export async function changedByFailures(conversation: RepeatableConversation): Promise<string[]> {
  const { attempts, ...expected } = await hold(conversation, {
    first: Infinity,
    times: 0,
    how: 'retry',
  });
  const expectedJson = JSON.stringify(expected);
  const changes: string[] = [];
  for (let first = 0; first < attempts; first += 1) {
    for (const how of ways) {
      const { attempts: _, ...held } = await hold(conversation, {
        first,
        times: how === 'retry' ? 3 : 1,
        how,
      });
      const heldJson = JSON.stringify(held);
      // Fast path: most results are equal, and need not be parsed.
      if (heldJson === expectedJson) continue;
      const difference = firstDifference(
        JSON.parse(expectedJson) as Json,
        JSON.parse(heldJson) as Json,
      );
      if (difference)
        changes.push(`call ${first} failed, ${how}: ${describeDifference(difference)}`);
    }
  }
  return changes;
}

const ways = ['retry', 'retry after a restore', 'killed in the retry', 'same text'] as const;

interface Failure {
  /** The first attempt that fails, as a number among all attempts of the conversation. `times` attempts in a row fail. */
  readonly first: number;
  readonly times: number;
  /** The way in which the failed call is retried. */
  readonly how: (typeof ways)[number];
}

/** The result of a conversation. */
interface Held {
  readonly snapshot: { readonly status: string; readonly context: JsonObject };
  readonly events: readonly EventObject[];
  /** Every answered call. A call that is repeated with the same key and input is listed once. */
  readonly calls: readonly { readonly port: PortName; readonly asked: unknown }[];
  readonly attempts: number;
}

async function hold(
  { machine, input = {}, steps, answer, takesFailure }: RepeatableConversation,
  { first, times, how }: Failure,
): Promise<Held> {
  const events: EventObject[] = [];
  const calls = new Map<string, Held['calls'][number]>();
  let attempts = 0;
  const pending = [...steps];
  let failed: EventObject | undefined;
  const provided = providePorts(
    machine,
    portsOf((port, asked) => {
      const attempt = attempts;
      attempts += 1;
      const isFailing = attempt >= first && attempt < first + times;
      if (isFailing && !takesFailure?.(port, asked)) throw new Error('out of order');
      const output = answer(port, asked as never);
      calls.set(JSON.stringify([port, asked]), { port, asked });
      return output;
    }),
  );
  const begin = (snapshot?: unknown): AnyActor => {
    const actor = createActor(provided, {
      input,
      ...(snapshot === undefined ? {} : { snapshot: snapshot as never }),
    });
    actor.on('*', (event: EventObject) => {
      if (event.type === 'turn.failed') failed = event;
      else events.push(event);
    });
    return actor.start();
  };
  const restored = (actor: AnyActor): AnyActor => {
    const stored: unknown = JSON.parse(JSON.stringify(actor.getPersistedSnapshot()));
    actor.stop();
    return begin(stored);
  };

  let actor = begin();
  for (;;) {
    const snapshot = await waitFor(
      actor,
      ({ status, tags }) => status !== 'active' || tags.has(waitingTag),
    );
    if (snapshot.status !== 'active') break;
    const isFailed = snapshot.hasTag(failedTag);
    if (!isFailed && pending.length === 0) break;
    if (!isFailed) {
      actor.send(pending.shift()!);
      continue;
    }
    if (how !== 'retry') actor = restored(actor);
    const text = failed?.['unanswered'];
    if (how === 'same text' && text !== undefined)
      actor.send({ type: 'message.received', text } as EventObject);
    else actor.send({ type: 'turn.retry' });
    if (how === 'killed in the retry') actor = restored(actor);
  }
  const { status, value, context, output, error } = actor.getSnapshot();
  actor.stop();
  return {
    snapshot: { status, value, context, output, error } as Held['snapshot'],
    events,
    calls: [...calls.values()],
    attempts,
  };
}

function portsOf(ask: (port: PortName, asked: PortInput<PortName>) => unknown): Partial<Ports> {
  return Object.fromEntries(
    (Object.keys(portSchemas) as PortName[]).map((port) => [
      port,
      (asked: PortInput<PortName>) => ask(port, asked),
    ]),
  );
}
