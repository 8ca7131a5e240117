import {
  type JsonObject,
  type Port,
  PortError,
  type PortInput,
  type PortName,
} from '@dramaturg/compiler';
import { onlyReminds } from '../instance/follow-up.ts';
import type { InstanceCall } from '../instance/instance-calls.ts';
import type { OpenCall } from '../xstate/open-call.ts';
import { askWithinLimits, type Outcome, isMetered } from '../limits/index.ts';
import { callTicket } from './call-lanes.ts';
import type { Ticket } from '../admission/lane.ts';
import type { RunnerContext } from './runner-context.ts';
import { spokenLines } from './spoken-lines.ts';

interface RunningCall {
  readonly controller: AbortController;
  readonly port: PortName;
  readonly key: string;
  /** Frees the slot. */
  readonly release: () => void;
}

/**
 * Owns the port calls of one instance. A call is `waiting` from `apply` on, and `running` from `makeNext` until the step that
 * decides on its outcome begins, or until it is aborted. While calls to a port wait, the instance is in the lane of the port. The
 * outcome of an aborted call is ignored, but what it reports of its consumption is counted. While calls only wait, the instance can be evicted.
 */
export class PortCalls {
  readonly #runner: RunnerContext;
  /** Waiting calls by port and then by letter, in the order in which they were made. */
  readonly #waiting = new Map<PortName, Map<string, InstanceCall>>();
  readonly #running = new Map<string, RunningCall>();

  constructor(runner: RunnerContext) {
    this.#runner = runner;
  }

  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  /** Queues the stored calls that are not made yet (H2, H4), and aborts the calls that the instance has closed. */
  apply(): void {
    const wanted = this.#runner.instance.calls();
    for (const letter of this.#running.keys())
      if (!wanted.has(letter)) this.#abort(letter, 'withdraw');
    for (const [port, calls] of this.#waiting) {
      for (const letter of calls.keys()) if (!wanted.has(letter)) calls.delete(letter);
      if (calls.size > 0) continue;
      this.#waiting.delete(port);
      this.#runner.services.callLaneOf(port).remove(this.#ticket);
    }
    for (const [letter, each] of wanted)
      if (!this.#running.has(letter)) this.#waitingFor(each.call.port).set(letter, each);
    for (const port of this.#waiting.keys()) this.#request(port);
  }

  /** Makes the first call that waits for a port. Fulfils when its slot is free again, or when no call waits. */
  async makeNext(port: PortName): Promise<void> {
    const calls = this.#waiting.get(port);
    if (!calls || !this.#runner.isRunning()) return;
    const [next] = calls.values();
    calls.delete(next!.letter);
    if (calls.size === 0) this.#waiting.delete(port);
    else this.#request(port);
    await new Promise<void>((release) => this.#make(next!, release));
  }

  #waitingFor(port: PortName): Map<string, InstanceCall> {
    const known = this.#waiting.get(port);
    if (known) return known;
    const calls = new Map<string, InstanceCall>();
    this.#waiting.set(port, calls);
    return calls;
  }

  #request(port: PortName): void {
    this.#runner.services.callLaneOf(port).add(this.#ticket);
  }

  get #ticket(): Ticket {
    const { id, contact, state } = this.#runner.instance;
    return callTicket(id, contact, onlyReminds(state));
  }

  /** @param texts forgotten for calls that will be made again: subscribers keep them until the new ones begin */
  abortAll(texts: 'forget' | 'withdraw'): void {
    for (const letter of this.#running.keys()) this.#abort(letter, texts);
  }

  #abort(letter: string, text: 'forget' | 'withdraw'): void {
    const { controller, release, key } = this.#running.get(letter)!;
    this.#running.delete(letter);
    this.#runner.services.replyParts[text]({ instance: this.#runner.instance.id, key });
    controller.abort();
    release();
  }

  #make({ letter, call }: InstanceCall, release: () => void): void {
    const controller = new AbortController();
    this.#running.set(letter, { controller, port: call.port, key: call.key, release });
    const { instance, services, step } = this.#runner;
    const { ports, limits, store, files, schedule, callTimeoutOf, replyParts, monitor } = services;
    const port = (ports[call.port] ?? this.#defaultPort(call.port)) as Port<PortName>;
    const isCurrent = () => this.#running.get(letter)?.controller === controller;
    const end = ({ ending, use }: Outcome) => {
      release();
      if (!isCurrent()) {
        if (use?.usage && this.#runner.isRunning())
          services.stepLater(instance.id, (each) => each.decideUse(call.port, call.key, use));
        return;
      }
      replyParts['error' in ending ? 'withdraw' : 'forget']({
        instance: instance.id,
        key: call.key,
      });
      step((each) => {
        // Not earlier: for a step that is queued before this one the call is still open, and it must not make the call a second time.
        if (isCurrent()) this.#running.delete(letter);
        return each.decideCall(letter, ending, use);
      }, 'answer').catch(() => {});
    };
    const portCall = {
      signal: controller.signal,
      onText: (part: string) => {
        if (!isCurrent()) return;
        if (part !== '') instance.noteStreamed(letter);
        replyParts.add({ instance: instance.id, contact: instance.contact, key: call.key }, part);
      },
      transcript: (last: number) => spokenLines(store, instance, last, call),
      readAttachment: files && ((each: JsonObject) => files.read(instance.contact, each)),
      heartbeat: this.#heartbeatOf(call, isCurrent),
      instance: instance.id,
      ...instance.timeOf(letter),
    };
    const measured: Port<PortName> = (input, given) =>
      monitor.measure(instance, `call the port "${call.port}"`, () => port(input, given));
    void askWithinLimits(call.port, measured, call.input, portCall, {
      limits,
      timeout: callTimeoutOf(call.port),
      used: instance.used,
      callsRunning: () => this.#countSpending() - 1,
      waits: schedule,
    }).then(end);
  }

  /** Sends the heartbeats of a task, while its call is running. */
  #heartbeatOf({ port, input }: OpenCall, isCurrent: () => boolean): (() => void) | undefined {
    const { token } = port === 'runAgent' ? (input as PortInput<'runAgent'>) : {};
    if (token === undefined) return undefined;
    const event = { type: 'task.heartbeat', token };
    return () => {
      // A failed step has broken the runner: the call is made again.
      if (isCurrent()) this.#runner.step((each) => each.decideEvent(event)).catch(() => {});
    };
  }

  #countSpending(): number {
    let count = 0;
    for (const { port } of this.#running.values()) if (isMetered(port)) count += 1;
    return count;
  }

  /** The port that is used when the host was given none: the host saves checkpoints itself. */
  #defaultPort(name: PortName): Port<PortName> {
    if (name !== 'saveCheckpoint') return unprovided(name, 'createHost');
    const { instance, services, betweenSteps } = this.#runner;
    const save: Port<'saveCheckpoint'> = (input, { signal }) =>
      betweenSteps(async () => {
        if (signal.aborted) return { kept: false };
        const { id, state, definition } = instance;
        await services.checkpoints.save(id, input, definition, state);
        return { kept: true };
      });
    return save;
  }
}

/** @param createHost the function that makes the host */
export function unprovided(name: PortName, createHost: string): Port<PortName> {
  return () => {
    throw new PortError(
      'port/not-provided',
      name,
      `The port "${name}" was called, but the host has none. Pass one: ${createHost}({ ports: { ${name}: ... } }).`,
    );
  };
}
