import { quantile } from '../../host/times.ts';
import type { CreateDeployment, Deployment } from './deployment.ts';
import { Random } from './random.ts';
import { type Process, Simulation } from './simulation.ts';

/** The result of a simulated deployment. Times are in milliseconds. */
export interface Outcome {
  /** Turns that ended, per second. */
  readonly turns: number;
  readonly turn: Latency;
  /** The time until the message was stored. */
  readonly acknowledgement: Latency;
  readonly stations: readonly { readonly name: string; readonly utilisation: number }[];
  /** Flushes of the log per second, if a log is simulated. */
  readonly flushes?: number;
}

export interface Latency {
  readonly p50: number;
  readonly p99: number;
}

/** A fixed number of senders that send their next message when the turn before has ended. */
export function closedLoad(
  create: CreateDeployment,
  { inFlight, seconds }: { readonly inFlight: number; readonly seconds: number },
): Outcome {
  const simulation = new Simulation();
  const deployment = create(simulation);
  const record = new Recorder(simulation);
  for (let sender = 0; sender < inFlight; sender += 1)
    simulation.start(
      (function* send() {
        for (;;) yield* record.turn(deployment);
      })(),
    );
  simulation.run(seconds * 1000);
  return record.outcome(deployment);
}

/** Messages that arrive independently of each other, at a rate per second. */
export function openLoad(
  create: CreateDeployment,
  { rate, seconds }: { readonly rate: number; readonly seconds: number },
): Outcome {
  const simulation = new Simulation();
  const deployment = create(simulation);
  const record = new Recorder(simulation);
  const random = new Random(2);
  simulation.start(
    (function* arrive() {
      for (;;) {
        yield simulation.pause(random.exponential(1000 / rate));
        simulation.start(record.turn(deployment));
      }
    })(),
  );
  simulation.run(seconds * 1000);
  return record.outcome(deployment);
}

class Recorder {
  readonly #simulation: Simulation;
  readonly #turns: number[] = [];
  readonly #acknowledgements: number[] = [];

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  *turn({ turn }: Deployment): Process {
    const arrivedAt = this.#simulation.now;
    yield* turn(() => this.#acknowledgements.push(this.#simulation.now - arrivedAt));
    this.#turns.push(this.#simulation.now - arrivedAt);
  }

  outcome({ stations, flushes }: Deployment): Outcome {
    return {
      turns: this.#turns.length / (this.#simulation.now / 1000),
      turn: latencyOf(this.#turns),
      acknowledgement: latencyOf(this.#acknowledgements),
      stations: stations.map(({ name, utilisation }) => ({ name, utilisation })),
      ...(flushes ? { flushes: flushes() } : {}),
    };
  }
}

function latencyOf(times: readonly number[]): Latency {
  // No turn has ended: all of them take longer than the simulated time.
  if (times.length === 0) return { p50: Infinity, p99: Infinity };
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
}
