import { CoverageList } from '@dramaturg/react';
import type { CoverageControls, CoverageOf } from './use-coverage.ts';

/** Shows how much of the shown chart the runs, or the tests of a report, reach. */
export function CoveragePanel({
  coverage,
  runs,
}: {
  readonly coverage: CoverageControls;
  /** The number of runs. */
  readonly runs: number;
}) {
  const { isOn, setOn, of, choose, report, open, units, problem, words } = coverage;
  if (!isOn)
    return (
      <div className="coverage-start">
        <p>Draws on the chart what runs or tests have reached, and lists the rest.</p>
        <button type="button" onClick={() => setOn(true)}>
          Show coverage
        </button>
      </div>
    );
  return (
    <div className="coverage">
      <div className="coverage-of">
        <select
          aria-label="Coverage of"
          value={of}
          onChange={({ target }) => choose(target.value as CoverageOf)}
        >
          <option value="run">This run</option>
          {runs > 1 && <option value="all">All {runs} runs</option>}
          {report && <option value="report">{report.name}</option>}
        </select>
        <label className="file">
          Open a report
          <input
            type="file"
            accept=".json,.info"
            onChange={({ target }) => {
              const [file] = target.files ?? [];
              if (file) void file.text().then((text) => open({ name: file.name, text }));
              // Allows opening the same file again.
              target.value = '';
            }}
          />
        </label>
      </div>
      {words !== '' && <p className="hint">{words}</p>}
      {problem !== undefined && <p role="alert">{problem}</p>}
      {units && (
        <CoverageList units={units} selected={coverage.selected} onSelect={coverage.select} />
      )}
    </div>
  );
}
