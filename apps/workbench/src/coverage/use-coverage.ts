import type { Compiled } from '@dramaturg/compiler';
import { type CountedUnit, coverageIn } from '@dramaturg/react';
import { useEffect, useState } from 'react';
import { type Evidence, isTests } from './evidence.ts';

/** The coverage of a definition, or the reason why it is unknown. */
export type Tested =
  | { readonly status: 'none' | 'running' }
  | { readonly status: 'problem'; readonly problem: string }
  | {
      readonly status: 'known';
      readonly units: readonly CountedUnit[];
      /** `5 tests pass`, or the source of a report. */
      readonly words: string;
      /** The failing tests, with their first failed expectation. */
      readonly failed: readonly string[];
    };

/**
 * Finds the coverage of a definition: runs its tests in the page, again after each change, or reads a report.
 *
 * @param given a file that comes with the definition
 * @param fileName the name of the definition's file
 */
export function useCoverage(compiled: Compiled, given?: Evidence, fileName?: string) {
  const [isOn, setOn] = useState(false);
  const [evidence, setEvidence] = useState(given);
  // An edited definition loses its name, but keeps its tests.
  const [testedName, setTestedName] = useState(fileName);
  const [from, setFrom] = useState(given);
  const [found, setFound] = useState<Tested>();
  const open = (file: Evidence | undefined) => {
    setEvidence(file);
    setTestedName(fileName);
    setFound(undefined);
    setOn(file !== undefined);
  };
  if (from !== given) {
    setFrom(given);
    open(given);
  }
  useEffect(() => {
    if (!isOn || !evidence || !compiled.chart) return undefined;
    const stopping = new AbortController();
    const settle = (result: Tested) => {
      if (!stopping.signal.aborted) setFound(result);
    };
    testedBy(evidence, compiled, testedName).then(settle, (error: unknown) =>
      settle({ status: 'problem', problem: (error as Error).message }),
    );
    return () => stopping.abort();
  }, [isOn, evidence, compiled, testedName]);
  // While tests run again, the last result stays.
  const tested: Tested = evidence ? (found ?? { status: 'running' }) : { status: 'none' };
  return { isOn, setOn, tested, open };
}

async function testedBy(
  { fileName, text }: Evidence,
  definition: Compiled,
  definitionFile: string | undefined,
): Promise<Tested> {
  if (!isTests(fileName)) {
    const found = coverageIn(text, definition.chart!, fileName);
    if ('problem' in found) return { status: 'problem', ...found };
    return { status: 'known', units: found.units, words: `From ${fileName}.`, failed: [] };
  }
  // The host and all formats are loaded with the first test.
  const { runTests } = await import('dramaturg/testing');
  const { diagnostics, tests, units } = await runTests(text, {
    fileName,
    definition,
    definitionFile,
  });
  const mistake = diagnostics.find(({ severity }) => severity === 'error');
  if (mistake) {
    const { line, column } = mistake.range.start;
    return { status: 'problem', problem: `${fileName}:${line}:${column} ${mistake.message}` };
  }
  const failed = tests.filter(({ failures }) => failures.length > 0);
  return {
    status: 'known',
    units,
    words: verdict(tests.length, failed.length, fileName),
    failed: failed.map(({ name, failures, line }) => `${name} (line ${line}): ${failures[0]}`),
  };
}

function verdict(total: number, failed: number, fileName: string): string {
  const tests = `${total} ${total === 1 ? 'test' : 'tests'} of ${fileName}`;
  if (failed === 0) return `${tests}: all pass.`;
  return `${tests}: ${failed} ${failed === 1 ? 'fails' : 'fail'}.`;
}
