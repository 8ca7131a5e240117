import {
  DramaturgError,
  type Json,
  type JsonObject,
  type Port,
  type PortError,
  type PortInput,
  type PortName,
  type Ports,
} from '@dramaturg/compiler';
import {
  type Activity,
  askWithinLimits,
  type AttachmentFiles,
  type Bounds,
  type CallLanes,
  callLanesOf,
  callTicket,
  isMetered,
  isUnknownInstance,
  type OnError,
  type parseLimits,
  type Schedule,
  spokenLines,
  toRecordedError,
  unprovided,
} from '@dramaturg/host/engine';
import type { StoreReader } from '@dramaturg/host/store';
import type { CallOrder, CallOutcome } from '../instance/messages.ts';

/** The outcome of a call, without an ending when the instance no longer waits for it. */
type Answered = Omit<CallOutcome, 'at' | 'ending'> & Partial<Pick<CallOutcome, 'ending'>>;

export interface PortCallerOptions {
  readonly ports: Partial<Ports>;
  readonly limits: ReturnType<typeof parseLimits>;
  readonly bounds: Bounds;
  readonly reader: Pick<StoreReader, 'transcript'>;
  /** The files that people have sent. */
  readonly files: AttachmentFiles | undefined;
  readonly schedule: Schedule;
  readonly activity: Activity;
  readonly openWork: OpenWork;
  readonly onError: OnError;
  /** Takes the heartbeat of a task that is running. */
  readonly onHeartbeat: (instance: string, token: string) => void;
}

/** A call that waits for a slot, or runs. */
interface Call extends Arrival {
  readonly instance: string;
  readonly order: CallOrder;
  readonly controller: AbortController;
  readonly resolve: (outcome: Answered) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Owns the port calls of a process. A call is `waiting` for a slot of its port, then `running`. When the process stops, calls are
 * abandoned: Restate has them, and the next process repeats them with the same keys (H4).
 */
export class PortCaller {
  readonly #options: PortCallerOptions;
  readonly #laneOf: CallLanes;
  /** Waiting calls by instance and port, in the order of arrival. */
  readonly #waiting = new Map<string, Call[]>();
  /** Waiting and running calls, by instance and letter. */
  readonly #open = new Map<string, Call>();
  readonly #running = new Set<Call>();
  #isStopped = false;

  constructor(options: PortCallerOptions) {
    this.#options = options;
    const { bounds, schedule, activity, onError } = options;
    this.#laneOf = callLanesOf({
      concurrencyOf: bounds.callConcurrencyOf,
      startsPerTurn: Infinity,
      schedule,
      activity,
      makeNext: (instance, port, begin) => this.#makeNext(instance, port, begin),
      onFailure: (instance, error) =>
        onError(error, `calling a port of ${JSON.stringify(instance)}`),
    });
  }

  /** The instances whose calls are running. */
  get instances(): readonly string[] {
    return Array.from(this.#running, ({ instance }) => instance);
  }

  /**
   * Fulfils with the outcome, also a failure. Rejects when the process stops.
   *
   * @param withdrawn aborts the call: the instance no longer waits for it
   */
  call(instance: string, order: CallOrder, withdrawn: AbortSignal): Promise<Answered> {
    if (this.#isStopped) return Promise.reject(stopped());
    // Restate has lost the connection, and calls the handler again.
    const before = this.#open.get(keyOf(instance, order.letter));
    if (before) this.#withdraw(before);
    return new Promise((resolve, reject) => {
      const controller = new AbortController();
      const receivedAt = performance.now();
      const hasPlace = this.#open.size < this.#options.bounds.callConcurrencyOf(order.port);
      const call: Call = { instance, order, receivedAt, hasPlace, controller, resolve, reject };
      this.#open.set(keyOf(instance, order.letter), call);
      const queue = keyOf(instance, order.port);
      this.#waiting.set(queue, [...(this.#waiting.get(queue) ?? []), call]);
      this.#request(call);
      withdrawn.addEventListener('abort', () => this.#withdraw(call), { once: true });
    });
  }

  #withdraw(call: Call): void {
    if (!this.#isOpen(call)) return;
    const { letter, port } = call.order;
    call.controller.abort();
    this.#close(call);
    call.resolve({ letter, port });
  }

  stop(): void {
    this.#isStopped = true;
    for (const call of this.#open.values()) {
      call.controller.abort();
      this.#close(call);
      call.reject(stopped());
    }
  }

  #request({ instance, order: { port, contact, isReminder } }: Call): void {
    this.#laneOf(port).add(callTicket(instance, contact, isReminder));
  }

  async #makeNext(instance: string, port: PortName, begin: () => void): Promise<void> {
    begin();
    const queue = keyOf(instance, port);
    const [call, ...rest] = this.#waiting.get(queue) ?? [];
    if (rest.length > 0) {
      this.#waiting.set(queue, rest);
      this.#request(rest[0]!);
    } else this.#waiting.delete(queue);
    if (!call || !this.#isOpen(call)) return;
    const { order } = call;
    if (!(await this.#options.openWork.isOpen(instance, order, call))) this.#withdraw(call);
    if (!this.#isOpen(call)) return;
    this.#running.add(call);
    await this.#make(call);
  }

  async #make(call: Call): Promise<void> {
    const { instance, order, controller, resolve } = call;
    const { letter, port: name, input, used } = order;
    const { limits, bounds, schedule, reader, files } = this.#options;
    const port = (this.#options.ports[name] ?? unprovided(name, 'restateHost')) as Port<PortName>;
    const aborted = new Promise<undefined>((end) =>
      controller.signal.addEventListener('abort', () => end(undefined)),
    );
    const asked = askWithinLimits(
      name,
      port,
      input,
      {
        signal: controller.signal,
        // Subscribers are in other processes, and parts are not stored.
        onText: () => {},
        transcript: (last) =>
          untilReached(
            () => spokenLines(reader, { ...order, id: instance }, last, order),
            controller.signal,
          ),
        readAttachment: files && ((each: JsonObject) => files.read(order.contact, each)),
        heartbeat: this.#heartbeatOf(call),
        instance,
        now: order.at,
        timeZone: order.timeZone,
      },
      {
        limits,
        timeout: bounds.callTimeoutOf(name),
        used,
        callsRunning: () => this.#countOthers(call),
        waits: schedule,
      },
    );
    const outcome = await Promise.race([asked, aborted]);
    if (!outcome || !this.#isOpen(call)) return;
    this.#close(call);
    const { ending, use } = outcome;
    const told =
      'error' in ending
        ? { error: toRecordedError(ending.error as PortError) }
        : { output: (ending.output ?? null) as Json };
    resolve({ letter, port: name, ending: told, ...(use && { use }) });
  }

  #heartbeatOf(call: Call): (() => void) | undefined {
    const { port, input } = call.order;
    const { token } = port === 'runAgent' ? (input as PortInput<'runAgent'>) : {};
    if (token === undefined) return undefined;
    return () => {
      if (this.#isOpen(call)) this.#options.onHeartbeat(call.instance, token);
    };
  }

  /** The number of other metered calls of the instance that run in this process. */
  #countOthers(call: Call): number {
    let count = 0;
    for (const other of this.#running)
      if (other !== call && other.instance === call.instance && isMetered(other.order.port))
        count += 1;
    return count;
  }

  #isOpen(call: Call): boolean {
    return this.#open.get(keyOf(call.instance, call.order.letter)) === call;
  }

  #close(call: Call): void {
    const { instance, order } = call;
    this.#open.delete(keyOf(instance, order.letter));
    this.#running.delete(call);
  }
}

function keyOf(instance: string, name: string): string {
  return JSON.stringify([instance, name]);
}

function stopped(): Error {
  return new Error('The process stops. Restate repeats the call in another one.');
}

/** The pause between two attempts, in milliseconds. */
const retryMs = 200;

/** Temporary errors: a concurrent write to the same record by a process that Restate no longer reaches, and failures inside Restate. */
const passing: readonly string[] = ['store/conflict', 'store/exists', 'restate/failed'];

/**
 * Repeats the host's own work when Restate cannot be reached, or when another process did it at the same time. Neither is a
 * failure of the workflow.
 *
 * @throws DramaturgError that the same work would throw again; any error once the signal is aborted
 */
export async function untilReached<Value>(
  work: () => Promise<Value>,
  signal: AbortSignal,
): Promise<Value> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isLasting = error instanceof DramaturgError && !passing.includes(error.code);
      if (isLasting || signal.aborted) throw error;
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }
}

interface OpenWorkOptions {
  /** Asks an instance whether it still waits for a call or a message. */
  readonly ask: (instance: string, letter: string) => Promise<boolean>;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
}

/** The arrival of an order at the process. */
export interface Arrival {
  /** Time of arrival by `performance.now()`. */
  readonly receivedAt: number;
  /** Whether a slot was free on arrival, and the order has not been tried yet. */
  readonly hasPlace: boolean;
}

/** Work with a free slot that begins within this time after its arrival, in milliseconds, begins without a check. */
const soonMs = 1_000;

/** An older order, in milliseconds, was probably given to another process before. Under load, Restate takes seconds to deliver one. */
const oldMs = 60_000;

/** Without an answer for this long, in milliseconds, the work is done. */
const askMs = 5_000;

/**
 * Checks whether instances still wait for work that begins. A withdrawal may arrive after the work, so the instance is asked
 * about work that had to wait for a slot or is repeated. Other work costs nothing, even in a busy process. Answers come in the
 * order of the questions, so work begins in the order of its lane.
 */
export class OpenWork {
  readonly #options: OpenWorkOptions;
  readonly #startedAt: number;
  /** Settles when all questions so far are answered. */
  #answered: Promise<unknown> = Promise.resolve();

  constructor(options: OpenWorkOptions) {
    this.#options = options;
    this.#startedAt = options.now();
  }

  async isOpen(
    instance: string,
    { letter, at }: { readonly letter: string; readonly at: number },
    { receivedAt, hasPlace }: Arrival,
  ): Promise<boolean> {
    const { now } = this.#options;
    const isSoon = hasPlace && performance.now() - receivedAt <= soonMs;
    if (isSoon && at >= this.#startedAt && now() - at <= oldMs) return true;
    const asked = this.#ask(instance, letter);
    const before = this.#answered;
    this.#answered = before.then(() => asked);
    await before;
    return asked;
  }

  /** When in doubt, the work is done: twice is better than never. */
  async #ask(instance: string, letter: string): Promise<boolean> {
    let cancel = () => {};
    const late = new Promise<true>((resolve) => {
      const timer = setTimeout(() => resolve(true), askMs);
      cancel = () => clearTimeout(timer);
    });
    try {
      return await Promise.race([this.#options.ask(instance, letter), late]);
    } catch (error) {
      return !isUnknownInstance(error);
    } finally {
      cancel();
    }
  }
}
