import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type StateTestResult, testState } from '@dramaturg/asl';
import { isRecord, type Json } from '@dramaturg/compiler';
import { virtualClock } from '@dramaturg/host';
import type { Case, Difference, Layout } from '../../layout.ts';
import type { RecordedCase } from './case-file.ts';
import { type Leeway, mismatch } from './compare.ts';
import { causeRemark, leewayOf, MadeUp, runWorkflow, startOf } from './workflow.ts';

/**
 * Recorded runs of Amazon States Language: `cases/<area>/*.json`. Each has a definition, its input, the replies of its
 * tasks, and the result of AWS.
 */
export const amazonStatesLayout: Layout = {
  name: 'amazon-states',
  recognises: (folder) => {
    const [first] = filesIn(folder);
    return first !== undefined && isRecorded(read(folder, first));
  },
  cases: (folder) =>
    filesIn(folder).map((file): Case => {
      const one = read(folder, file) as RecordedCase;
      return {
        area: one.area,
        id: one.id,
        groups: {
          'query language': one.queryLanguage,
          'what it uses': one.uses,
          'what it uses, by query language': `${one.uses} ${one.queryLanguage}`,
        },
        run: () => (one.uses === 'state' ? runState(one) : runWorkflow(one)),
      };
    }),
};

function filesIn(folder: string): readonly string[] {
  return globSync('cases/*/*.json', { cwd: folder }).toSorted();
}

function read(folder: string, file: string): unknown {
  return JSON.parse(readFileSync(join(folder, file), 'utf8'));
}

function isRecorded(value: unknown): boolean {
  return (
    isRecord(value) &&
    isRecord(value['definition']) &&
    isRecord(value['expected']) &&
    typeof value['queryLanguage'] === 'string'
  );
}

const statuses = {
  succeeded: 'SUCCEEDED',
  failed: 'FAILED',
  caughtError: 'CAUGHT_ERROR',
  retriable: 'RETRIABLE',
} as const;

/** Runs a single state, like TestState of AWS. Compares its result and the data between its fields. */
function runState(one: RecordedCase): Difference | undefined {
  const { expected, inspection = {} } = one;
  const madeUp = new MadeUp(virtualClock({ startAt: startOf(one) }).world);
  const leeway = leewayOf(one, madeUp);
  const result = testState({ ...testInputOf(one), world: madeUp.world });
  const status = statuses[result.status];
  if (status !== expected.status)
    return {
      expected: `status: ${JSON.stringify(expected)}`,
      actual: `status: ${JSON.stringify({ ...shown(result), status })}`,
    };
  return (
    firstMismatch({ ...expected, status: undefined, cause: undefined }, { ...result }, leeway) ??
    firstMismatch(inspection, result.inspection, leeway, 'inspection.') ??
    causeRemark(expected, result.cause, leeway)
  );
}

/** Converts a case to an input of `testState`. Cases contain the answers of services and readers as JSON text, as AWS does. */
function testInputOf(one: RecordedCase): Parameters<typeof testState>[0] {
  const { definition, stateName, input, context, variables, mock, stateConfiguration } = one;
  const { mapItemReaderData, ...configuration } = stateConfiguration ?? {};
  return {
    definition,
    input,
    ...(stateName !== undefined && { stateName }),
    ...(context && { context }),
    ...(variables && { variables }),
    ...(mock && { mock: mockOf(mock) }),
    configuration: {
      ...configuration,
      ...(mapItemReaderData !== undefined && {
        mapItemReaderData: JSON.parse(mapItemReaderData) as Json,
      }),
    },
  };
}

function mockOf({ result, ...mock }: NonNullable<RecordedCase['mock']>) {
  return { ...mock, ...(result !== undefined && { result: JSON.parse(result) as Json }) };
}

/** Compares only recorded fields: AWS leaves out fields that it does not need. */
function firstMismatch(
  expected: Readonly<Record<string, Json | undefined>>,
  actual: Readonly<Record<string, Json | undefined>>,
  leeway: Leeway,
  pathPrefix = '',
): Difference | undefined {
  for (const [aspect, value] of Object.entries(expected)) {
    if (value === undefined) continue;
    const found = mismatch(`${pathPrefix}${aspect}`, value, actual[aspect], leeway);
    if (found) return found;
  }
  return undefined;
}

function shown(result: StateTestResult): object {
  const { inspection: _, ...ending } = result;
  return ending;
}
