import { isRecord, type Json, PortError, type PortName } from '@dramaturg/compiler';
import type { ActorLogic, ActorScope, AnyActorRef, Snapshot } from 'xstate';

/** An open port call of a machine. */
export interface OpenCall {
  /** The idempotency key: the same whenever the call is repeated. Unique in its machine. */
  readonly key: string;
  readonly port: PortName;
  readonly input: Json;
  /** The id of the call in the chart; absent for a call that the host makes itself. */
  readonly invocation?: string;
  /** Feeds the answer to the machine, synchronously. */
  readonly answer: (output: unknown) => void;
  readonly fail: (error: unknown) => void;
}

/** The changes in the calls of a machine since the last look. A call that was made and abandoned in between is in neither list. */
export interface CallChanges {
  readonly made: readonly OpenCall[];
  /** Calls without an answer that their machine no longer waits for. */
  readonly abandoned: readonly OpenCall[];
}

export const noChanges: CallChanges = { made: [], abandoned: [] };

/** The calls of a machine, by key. Owns their changes since the last look. */
export class OpenCalls {
  readonly byKey = new Map<string, OpenCall>();
  readonly #made = new Set<OpenCall>();
  #abandoned: OpenCall[] = [];

  add(call: OpenCall): void {
    this.byKey.set(call.key, call);
    this.#made.add(call);
  }

  /** @param isAnswered whether the machine has an answer or an error */
  remove(key: string, isAnswered: boolean): void {
    const call = this.byKey.get(key);
    if (!call) return;
    this.byKey.delete(key);
    if (!this.#made.delete(call) && !isAnswered) this.#abandoned.push(call);
  }

  takeChanges(): CallChanges {
    if (this.#made.size === 0 && this.#abandoned.length === 0) return noChanges;
    const changes = { made: [...this.#made], abandoned: this.#abandoned };
    this.#made.clear();
    this.#abandoned = [];
    return changes;
  }
}

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
    this.#callsOf(self).add({
      key,
      port: this.#port,
      input: input as Json,
      invocation: self.id,
      answer: (output) => self.send({ type: 'call.answered', output }),
      fail: (error) => self.send({ type: 'call.failed', error }),
    });
  }

  transition(snapshot: CallSnapshot, event: CallEvent, { self }: Scope): CallSnapshot {
    if (snapshot.status !== 'active') return snapshot;
    const key = keyOf(snapshot.input);
    if (key !== undefined) this.#callsOf(self).remove(key, event.type !== 'xstate.stop');
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
