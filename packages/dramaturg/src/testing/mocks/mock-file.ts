import { hasErrors, isRecord, type Json, type Path } from '@dramaturg/compiler';
import { read, Reporter } from '@dramaturg/compiler/format';
import { checkShape } from '@dramaturg/compiler/shapes';
import * as z from 'zod';
import * as problems from '../problems.ts';
import type { ReadTestFile } from '../read-test-file.ts';
import { type MockedStates, rangeOf } from '../test-file.ts';

/** The mock configuration of Step Functions Local. Spec: AWS, "Configuration file for mocked service integrations" */

const response = z.strictObject({
  Return: z.custom<Json>((value) => value !== undefined).optional(),
  Throw: z.strictObject({ Error: z.string(), Cause: z.string().optional() }).optional(),
});

/** Projects keep other fields in this file, such as expectations of their own tests. */
const mockFileShape = z.object({
  StateMachines: z.record(
    z.string(),
    z.strictObject({ TestCases: z.record(z.string(), z.record(z.string(), z.string())) }),
  ),
  MockedResponses: z.record(z.string(), z.record(z.string(), response)),
});

export interface MockCase {
  readonly machine: string;
  readonly name: string;
  /** Where the test case is in its file. */
  readonly path: Path;
  readonly states: MockedStates;
}

export interface ReadMockFile extends Pick<ReadTestFile, 'source' | 'diagnostics'> {
  readonly reporter: Reporter;
  /** Empty when one of the diagnostics is an error. */
  readonly cases: readonly MockCase[];
}

/** The test cases of a name: `HappyPath`, or `Orders#HappyPath`. */
export function casesNamed(cases: readonly MockCase[], wanted: string): readonly MockCase[] {
  return cases.filter(({ machine, name }) => [name, `${machine}#${name}`].includes(wanted));
}

/** Whether a file is a mock configuration, by its name. */
export function isMockFile(file: string): boolean {
  return /mock[\w-]*config[\w-]*\.json$/i.test(file);
}

/** Reads a mock configuration. All its mistakes are in the diagnostics, each with its position. */
export function readMockFile(text: string, fileName: string): ReadMockFile {
  const source = read(text, { fileName });
  const reporter = new Reporter(source);
  const { value } = source;
  if (value !== undefined) {
    reporter.run(() => {
      checkShape(value, mockFileShape, reporter.reportShape);
      if (isRecord(value)) checkMocks(value, reporter);
    });
  }
  const diagnostics = reporter.sorted();
  if (hasErrors(diagnostics)) return { source, diagnostics, reporter, cases: [] };
  const { StateMachines: machines, MockedResponses: responses } = mockFileShape.parse(value);
  const cases = Object.entries(machines).flatMap(([machine, { TestCases: given }]) =>
    Object.entries(given).map(([name, states]): MockCase => {
      const mocked = Object.entries(states).map(([state, mock]) => [
        state,
        { mock, responses: responses[mock]! },
      ]);
      const path = ['StateMachines', machine, 'TestCases', name];
      return { machine, name, path, states: Object.fromEntries(mocked) };
    }),
  );
  return { source, diagnostics, reporter, cases };
}

/** Checks the rules that the shape cannot express. Parts of a wrong shape are skipped. */
function checkMocks(value: Record<string, unknown>, { report }: Reporter): void {
  const mocks = fieldsOf(value['MockedResponses']);
  const known = mocks.map(([name]) => name);
  for (const [mock, responses] of mocks) {
    const ranges = fieldsOf(responses).map(([key]) => ({ key, ...rangeOf(key) }));
    for (const [key, given] of fieldsOf(responses)) {
      const path = ['MockedResponses', mock, key];
      const { from, to } = rangeOf(key);
      const other = ranges.find((one) => one.key !== key && one.from <= to && from <= one.to);
      if (!(from <= to)) report(problems.badMockKey(key), path, { at: 'key' });
      else if (other && other.from <= from)
        report(problems.sameCall(key, other.key), path, { at: 'key' });
      const isOne = isRecord(given) && 'Return' in given !== 'Throw' in given;
      if (isRecord(given) && !isOne) report(problems.unclearMock('Return' in given), path);
    }
  }
  for (const [machine, fields] of fieldsOf(value['StateMachines'])) {
    for (const [name, states] of fieldsOf(isRecord(fields) ? fields['TestCases'] : undefined)) {
      for (const [state, mock] of fieldsOf(states)) {
        if (typeof mock !== 'string' || known.includes(mock)) continue;
        const path = ['StateMachines', machine, 'TestCases', name, state];
        report(problems.unknownMock(mock, known), path);
      }
    }
  }
}

function fieldsOf(value: unknown): [string, unknown][] {
  return isRecord(value) ? Object.entries(value) : [];
}
