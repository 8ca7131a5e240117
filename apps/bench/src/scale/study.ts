import type { CreateDeployment } from './simulation/deployment.ts';
import { closedLoad, openLoad, type Outcome } from './simulation/loads.ts';
import type { Check } from './costs.ts';
import type { Need } from './needs.ts';

/** One point of a sweep over rates. */
export interface Point extends Outcome {
  readonly rate: number;
}

/** What the simulation found out about a deployment. */
export interface Study {
  readonly store: string;
  /** The parts of the deployment: processes, processors, partitions. */
  readonly size: Readonly<Record<string, number>>;
  readonly needs: readonly Need[];
  /** At the wanted rate. */
  readonly outcome: Point;
  /** From a tenth of the wanted rate to beyond the rate at which the first resource is saturated. */
  readonly sweep: readonly Point[];
  /** The resource that is saturated first, and the rate at which that happens. */
  readonly first: { readonly name: string; readonly rate: number };
  /** The simulation of what was measured on one machine. */
  readonly checks: readonly Checked[];
}

export interface Checked extends Check {
  readonly simulatedTurns: number;
  readonly simulatedP50: number;
}

const points = 12;

/** Simulates a deployment at a rate, and at rates around it. */
export function studyOf(
  create: CreateDeployment,
  { rate, seconds }: { readonly rate: number; readonly seconds: number },
): Pick<Study, 'outcome' | 'sweep' | 'first'> {
  const at = (each: number): Point => ({
    rate: each,
    ...openLoad(create, { rate: each, seconds }),
  });
  const outcome = at(rate);
  const busiest = outcome.stations.toSorted((a, b) => b.utilisation - a.utilisation)[0]!;
  const first = { name: busiest.name, rate: rate / busiest.utilisation };
  const most = Math.max(1.15 * first.rate, 1.1 * rate);
  const sweep = Array.from({ length: points }, (_, index) => at(((index + 1) / points) * most));
  return { outcome, sweep, first };
}

/** Simulates the measurements of one machine: the same number of turns in flight. */
export function checked(create: CreateDeployment, checks: readonly Check[]): Checked[] {
  return checks.map((check) => {
    const { turns, turn } = closedLoad(create, { inFlight: check.inFlight, seconds: 20 });
    return { ...check, simulatedTurns: turns, simulatedP50: turn.p50 };
  });
}
