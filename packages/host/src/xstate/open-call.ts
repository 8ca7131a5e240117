import { isRecord, type Json, PortError, type PortName } from '@dramaturg/compiler';
import type { ActorLogic, ActorScope, AnyActorRef, Snapshot } from 'xstate';

/** A port call of a machine that is not answered yet. */
export interface OpenCall {
  /** The idempotency key: the same whenever the call is repeated. Unique in its machine. */
  readonly key: string;
  readonly port: PortName;
  readonly input: Json;
  /** Feeds the answer to the machine, synchronously. */
  readonly answer: (output: unknown) => void;
  readonly fail: (error: unknown) => void;
}

/** The calls of a machine, by key. */
export type OpenCalls = Map<string, OpenCall>;

type CallSnapshot = Snapshot<unknown> & { readonly input: unknown };

type CallEvent =
  | { readonly type: 'call.answered'; readonly output: unknown }
  | { readonly type: 'call.failed'; readonly error: unknown }
  | { readonly type: 'xstate.stop' };

type Scope = ActorScope<CallSnapshot, CallEvent>;

/**
 * Actor logic of a port in a durable machine: it only waits. It adds its call to the list of open calls. The host stores
 * the snapshot that contains the call (H2), and only then makes the call. A restored call adds itself again (H4).
 */
export class CallLogic implements ActorLogic<CallSnapshot, CallEvent, unknown> {
  readonly #port: PortName;
  readonly #callsOf: (self: AnyActorRef) => OpenCalls;

  constructor(port: PortName, callsOf: (self: AnyActorRef) => OpenCalls) {
    this.#port = port;
    this.#callsOf = callsOf;
  }

  getInitialSnapshot(_: Scope, input: unknown): CallSnapshot {
    return { status: 'active', output: undefined, error: undefined, input };
  }

  start({ input, status }: CallSnapshot, { self }: Scope): void {
    if (status !== 'active') return;
    const key = keyOf(input);
    if (key === undefined) {
      const message = `The port "${this.#port}" was called without a key.`;
      self.send({
        type: 'call.failed',
        error: new PortError('port/bad-input', this.#port, message),
      });
      return;
    }
    this.#callsOf(self).set(key, {
      key,
      port: this.#port,
      input: input as Json,
      answer: (output) => self.send({ type: 'call.answered', output }),
      fail: (error) => self.send({ type: 'call.failed', error }),
    });
  }

  transition(snapshot: CallSnapshot, event: CallEvent, { self }: Scope): CallSnapshot {
    if (snapshot.status !== 'active') return snapshot;
    const key = keyOf(snapshot.input);
    if (key !== undefined) this.#callsOf(self).delete(key);
    const ended = { input: undefined, output: undefined, error: undefined };
    switch (event.type) {
      case 'call.answered':
        return { ...ended, status: 'done', output: event.output };
      case 'call.failed':
        return { ...ended, status: 'error', error: event.error };
      case 'xstate.stop':
        return { ...ended, status: 'stopped' };
    }
  }

  getPersistedSnapshot(snapshot: CallSnapshot): Snapshot<unknown> {
    return snapshot;
  }

  restoreSnapshot(stored: Snapshot<unknown>): CallSnapshot {
    return stored as CallSnapshot;
  }
}

function keyOf(input: unknown): string | undefined {
  const key = isRecord(input) ? input['key'] : undefined;
  return typeof key === 'string' ? key : undefined;
}
