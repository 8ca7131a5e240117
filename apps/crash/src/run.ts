import { totals } from './audit.ts';
import { type LaneReport, runLane } from './lane.ts';
import type { StoreKind } from './protocol.ts';
import type { TroubleKind } from './trouble.ts';

export interface RunOptions {
  readonly trouble: TroubleKind;
  /** The number of kills, faults or fills in all lanes together. */
  readonly times: number;
  readonly seed: number;
  readonly store: StoreKind;
  /** The number of stores that run in parallel. */
  readonly lanes: number;
  /** The number of nodes of Restate, 1 by default. */
  readonly nodes?: number;
  readonly onProgress?: (done: number) => void;
}

export interface Report extends LaneReport {
  readonly store: StoreKind;
  readonly seed: number;
  readonly trouble: TroubleKind;
  readonly times: number;
}

/** How often there is trouble for one store. It is audited then, because a host reads more records after each kill. */
const timesOfStore = 200;

/** Makes trouble for hosts again and again, and reports their faults. */
export async function run(options: RunOptions): Promise<Report> {
  const { trouble, times, seed, store, lanes, nodes = 1, onProgress } = options;
  let done = 0;
  const share = (lane: number) => Math.floor(times / lanes) + (lane < times % lanes ? 1 : 0);
  const ofLanes = await Promise.all(
    Array.from({ length: Math.min(lanes, times) }, async (_, lane) => {
      const reports: LaneReport[] = [];
      for (let rest = share(lane); rest > 0; rest -= timesOfStore)
        reports.push(
          await runLane({
            store,
            trouble,
            nodes,
            times: Math.min(rest, timesOfStore),
            seed: seed + lane * 1_000 + reports.length,
            onProgress: (more) => {
              done += more;
              onProgress?.(done);
            },
          }),
        );
      return reports;
    }),
  );
  const reports = ofLanes.flat();
  const sum = (count: (report: LaneReport) => number) =>
    reports.reduce((total, report) => total + count(report), 0);
  const kinds: Record<string, number> = {};
  for (const report of reports)
    for (const [kind, count] of Object.entries(report.kinds))
      kinds[kind] = (kinds[kind] ?? 0) + count;
  return {
    store,
    seed,
    trouble,
    times: done,
    ...(Object.fromEntries(
      totals.map((total) => [total, sum((report) => report[total])]),
    ) as Record<(typeof totals)[number], number>),
    repeated: sum(({ repeated }) => repeated),
    takeovers: reports.flatMap(({ takeovers }) => takeovers).toSorted((one, other) => one - other),
    kinds,
    complaints: reports.flatMap(({ complaints }) => complaints),
  };
}
