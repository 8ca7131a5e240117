import { type CountedUnit, CoverageList } from '@dramaturg/react';
import type { Evidence } from './evidence.ts';
import type { Tested } from './use-coverage.ts';

interface CoveragePanelProps {
  readonly tested: Tested;
  readonly selected: CountedUnit | undefined;
  readonly onSelect: (unit: CountedUnit) => void;
  readonly onOpen: (file: Evidence) => void;
}

/** Shows what the tests of the definition reach, or how to open its tests. */
export function CoveragePanel({ tested, selected, onSelect, onOpen }: CoveragePanelProps) {
  const openFile = async (file: File) => onOpen({ fileName: file.name, text: await file.text() });
  return (
    <section className="wb-coverage" aria-label="What is tested">
      <div className="wb-coverage-head">
        <p role="status">{wordsFor(tested)}</p>
        <label className="wb-file">
          Open tests or a report
          <input
            type="file"
            accept=".json,.yaml,.yml,.info"
            onChange={({ target }) => {
              const [file] = target.files ?? [];
              if (file) void openFile(file);
              // Allows opening the same file again.
              target.value = '';
            }}
          />
        </label>
      </div>
      {tested.status === 'problem' && (
        <p className="wb-error" role="alert">
          {tested.problem}
        </p>
      )}
      {tested.status === 'known' && (
        <>
          {tested.failed.length > 0 && (
            <ul className="wb-failed" aria-label="Failed tests">
              {tested.failed.map((words) => (
                <li key={words}>{words}</li>
              ))}
            </ul>
          )}
          <CoverageList units={tested.units} selected={selected} onSelect={onSelect} />
        </>
      )}
    </section>
  );
}

function wordsFor(tested: Tested): string {
  if (tested.status === 'known') return tested.words;
  if (tested.status === 'running') return 'The tests are running …';
  if (tested.status === 'problem') return '';
  return 'Open the test file of this definition, such as intake.test.yaml, or the report of “dramaturg test --coverage --json”.';
}
