import type { StoreKind } from './store-kind.ts';
import { type LaneReport, runLane } from './lane.ts';

export interface RunOptions {
  readonly kills: number;
  readonly seed: number;
  readonly store: StoreKind;
  /** The number of stores that run in parallel. */
  readonly lanes: number;
  readonly onKill?: (done: number) => void;
}

export interface Report extends LaneReport {
  readonly store: StoreKind;
  readonly seed: number;
}

/** Kills a host repeatedly, and reports the faults. */
export async function run({ kills, seed, store, lanes, onKill }: RunOptions): Promise<Report> {
  let done = 0;
  const share = (lane: number) => Math.floor(kills / lanes) + (lane < kills % lanes ? 1 : 0);
  const reports = await Promise.all(
    Array.from({ length: Math.min(lanes, kills) }, (_, lane) =>
      runLane({
        store,
        kills: share(lane),
        seed: seed + lane * 1_000,
        onKill: () => onKill?.((done += 1)),
      }),
    ),
  );
  const sum = (
    field:
      | 'kills'
      | 'messages'
      | 'timers'
      | 'calls'
      | 'decisions'
      | 'turns'
      | 'lost'
      | 'duplicated'
      | 'reordered'
      | 'repeated',
  ) => reports.reduce((total, report) => total + report[field], 0);
  const points: Record<string, number> = {};
  for (const report of reports)
    for (const [point, times] of Object.entries(report.points))
      points[point] = (points[point] ?? 0) + times;
  return {
    store,
    seed,
    kills: sum('kills'),
    messages: sum('messages'),
    timers: sum('timers'),
    calls: sum('calls'),
    decisions: sum('decisions'),
    turns: sum('turns'),
    lost: sum('lost'),
    duplicated: sum('duplicated'),
    reordered: sum('reordered'),
    repeated: sum('repeated'),
    points,
    complaints: reports.flatMap(({ complaints }) => complaints),
  };
}
