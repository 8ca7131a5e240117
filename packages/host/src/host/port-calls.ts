import { type Port, PortError, type PortName } from '@dramaturg/compiler';
import type { InstanceCall } from '../instance/instance-calls.ts';
import { askWithinLimits, type Outcome, isMetered } from '../limits/index.ts';
import type { RunnerContext } from './runner-context.ts';
import { spokenLines } from './spoken-lines.ts';

interface RunningCall {
  readonly controller: AbortController;
  readonly port: PortName;
}

/**
 * Owns the port calls that run for one instance. A call is `running` from `apply` until the step that decides on its
 * outcome begins, or until it is aborted. The outcome of an aborted call is fenced off: it is ignored.
 */
export class PortCalls {
  readonly #runner: RunnerContext;
  readonly #running = new Map<string, RunningCall>();

  constructor(runner: RunnerContext) {
    this.#runner = runner;
  }

  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  /** Makes the stored calls that do not run yet (H2, H4), and aborts the calls that the instance has closed. */
  apply(): void {
    const wanted = this.#runner.instance.calls();
    for (const [letter, { controller }] of this.#running) {
      if (wanted.has(letter)) continue;
      controller.abort();
      this.#running.delete(letter);
    }
    for (const [letter, call] of wanted) if (!this.#running.has(letter)) this.#make(call);
  }

  abortAll(): void {
    for (const { controller } of this.#running.values()) controller.abort();
    this.#running.clear();
  }

  #make({ letter, call }: InstanceCall): void {
    const controller = new AbortController();
    this.#running.set(letter, { controller, port: call.port });
    const { instance, services, step } = this.#runner;
    const { ports, limits, store, onText } = services;
    const port = (ports[call.port] ?? this.#defaultPort(call.port)) as Port<PortName>;
    const isCurrent = () => this.#running.get(letter)?.controller === controller;
    const end = ({ ending, use }: Outcome) => {
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
    };
    void askWithinLimits(call.port, port, call.input, portCall, {
      limits,
      used: instance.used,
      callsRunning: () => this.#countSpending() - 1,
    }).then(end);
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
