import { type CountedUnit, coverageIn } from '@dramaturg/react';
import { useMemo, useState } from 'react';
import { machineAround } from '../data/actor-names.ts';
import { isCompiled } from '../data/chart-nodes.ts';
import type { Connection } from '../data/connection.ts';
import { countedUnits } from '../data/coverage/counted-units.ts';
import { chartIn } from '../data/derive.ts';
import type { View } from '../use-view.ts';
import { useReached } from './use-reached.ts';

/** Where coverage comes from: the shown run up to the shown step, all runs, or a report of tests. */
export type CoverageOf = 'run' | 'all' | 'report';

export interface Report {
  readonly name: string;
  readonly text: string;
}

/** The coverage of the shown chart. */
export interface CoverageControls {
  readonly isOn: boolean;
  readonly setOn: (isOn: boolean) => void;
  readonly of: CoverageOf;
  readonly choose: (of: CoverageOf) => void;
  readonly report: Report | undefined;
  readonly open: (report: Report) => void;
  /** Undefined where `problem` says why. */
  readonly units: readonly CountedUnit[] | undefined;
  readonly problem: string | undefined;
  /** One sentence: what was counted. */
  readonly words: string;
  readonly selected: CountedUnit | undefined;
  readonly select: (unit: CountedUnit) => void;
}

export function useCoverage(view: View, connection: Connection): CoverageControls {
  const [isOn, setOn] = useState(false);
  const [of, choose] = useState<CoverageOf>('run');
  const [report, setReport] = useState<Report>();
  const [selected, select] = useState<CountedUnit>();
  const actor = machineAround(view.actor, view.actors);
  const chart = chartIn(actor);
  const definition = actor?.definition;
  const isReport = of === 'report';
  const reached = useReached(view, connection, isOn && !isReport ? of : undefined);
  const found = useMemo(() => {
    if (!isOn || !chart || definition === undefined) return undefined;
    if (!isCompiled(chart) && !definition.includes('"origin":'))
      return { problem: 'This machine was not compiled from a definition.' };
    if (of !== 'report') return { units: countedUnits(chart, definition, reached.runs) };
    return report && coverageIn(report.text, chart, report.name);
  }, [isOn, chart, definition, of, report, reached.runs]);
  const units = found && 'units' in found ? found.units : undefined;
  const counted = reached.runs.filter((each) => each.has(definition ?? '')).length;
  return {
    isOn,
    setOn,
    of,
    choose,
    report,
    open: (file) => {
      setReport(file);
      choose('report');
      setOn(true);
    },
    units,
    problem: found && 'problem' in found ? found.problem : undefined,
    words: isReport ? '' : of === 'run' ? 'Up to the shown step.' : wordsFor(counted, reached),
    selected,
    select,
  };
}

function wordsFor(
  counted: number,
  { runs, waiting, failed }: ReturnType<typeof useReached>,
): string {
  if (waiting > 0) return `${waiting} of ${runs.length + failed + waiting} runs are loading …`;
  const lost = failed === 0 ? '' : ` Runs that could not be loaded, and do not count: ${failed}.`;
  if (counted === runs.length) return lost.trim();
  return `${counted} of ${runs.length} runs have this version of the chart; the others do not count.${lost}`;
}
