import { type Port, PortError, type PortInput, type PortName } from '@dramaturg/compiler';
import type { InstanceCall } from '../instance/instance-calls.ts';
import type { OpenCall } from '../xstate/open-call.ts';
import { askWithinLimits, type Outcome, isMetered } from '../limits/index.ts';
import type { RunnerContext } from './runner-context.ts';
import { spokenLines } from './spoken-lines.ts';

interface RunningCall {
  readonly controller: AbortController;
  readonly port: PortName;
  /** Gives the slot back. */
  readonly release: () => void;
}

/**
 * Owns the port calls of one instance. A call is `waiting` for a slot of its port from `apply` on, and `running` from
 * `make` until the step that decides on its outcome begins, or until it is aborted. The outcome of an aborted call is
 * fenced off: it is ignored. While calls only wait, the instance can be evicted.
 */
export class PortCalls {
  readonly #runner: RunnerContext;
  readonly #waiting = new Map<string, InstanceCall>();
  readonly #running = new Map<string, RunningCall>();

  constructor(runner: RunnerContext) {
    this.#runner = runner;
  }

  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  /** Queues the stored calls that are not made yet (H2, H4), and aborts the calls that the instance has closed. */
  apply(): void {
    const { instance, services } = this.#runner;
    const { id, contact } = instance;
    const wanted = instance.calls();
    for (const letter of this.#running.keys()) if (!wanted.has(letter)) this.#abort(letter);
    for (const [letter, { call }] of this.#waiting) {
      if (wanted.has(letter)) continue;
      this.#waiting.delete(letter);
      services.callLanes.withdraw({ port: call.port, instance: id, letter });
    }
    for (const [letter, each] of wanted) {
      if (this.#running.has(letter) || this.#waiting.has(letter)) continue;
      this.#waiting.set(letter, each);
      services.callLanes.request({ port: each.call.port, instance: id, contact, letter });
    }
  }

  /** Makes a call that has got a slot, if it is still wanted. Fulfils when the slot is free again. */
  async make(letter: string): Promise<void> {
    const waiting = this.#waiting.get(letter);
    if (!waiting || !this.#runner.isRunning()) return;
    this.#waiting.delete(letter);
    await new Promise<void>((release) => this.#make(waiting, release));
  }

  abortAll(): void {
    for (const letter of this.#running.keys()) this.#abort(letter);
  }

  #abort(letter: string): void {
    const { controller, release } = this.#running.get(letter)!;
    this.#running.delete(letter);
    controller.abort();
    release();
  }

  #make({ letter, call }: InstanceCall, release: () => void): void {
    const controller = new AbortController();
    this.#running.set(letter, { controller, port: call.port, release });
    const { instance, services, step } = this.#runner;
    const { ports, limits, store, schedule, callTimeoutOf, onText, monitor } = services;
    const port = (ports[call.port] ?? this.#defaultPort(call.port)) as Port<PortName>;
    const isCurrent = () => this.#running.get(letter)?.controller === controller;
    const end = ({ ending, use }: Outcome) => {
      release();
      if (!isCurrent()) return;
      step((each) => {
        // Not earlier: a queued step before this one still sees the call open, and must not make it a second time.
        if (isCurrent()) this.#running.delete(letter);
        return each.decideCall(letter, ending, use);
      }).catch(() => {});
    };
    const portCall = {
      signal: controller.signal,
      onText: (part: string) => {
        if (isCurrent()) onText(instance.id, part, call.key);
      },
      transcript: (last: number) => spokenLines(store, instance, last),
      heartbeat: this.#heartbeatOf(call, isCurrent),
      instance: instance.id,
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
      // A step that fails has given the runner up: the call is made again.
      if (isCurrent()) this.#runner.step((each) => each.decideEvent(event)).catch(() => {});
    };
  }

  #countSpending(): number {
    let count = 0;
    for (const { port } of this.#running.values()) if (isMetered(port)) count += 1;
    return count;
  }

  /** The port that answers when the host was given none: the host saves checkpoints itself. */
  #defaultPort(name: PortName): Port<PortName> {
    if (name !== 'saveCheckpoint') return unprovided(name);
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

function unprovided(name: PortName): Port<PortName> {
  return () => {
    throw new PortError(
      'port/not-provided',
      name,
      `The port "${name}" was called, but the host has none. Pass one: createHost({ ports: { ${name}: ... } }).`,
    );
  };
}
