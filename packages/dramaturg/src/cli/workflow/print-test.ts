import type { StateTestResult } from '@dramaturg/asl';
import type { Json } from '@dramaturg/compiler';
import { counted, visible } from '@dramaturg/compiler/text';
import { type Output, outputTo } from '../output.ts';
import { visibleJson } from '../visible.ts';

export const inspectionLevels = ['INFO', 'DEBUG', 'TRACE'] as const;

/** How much of the data flow a test shows: none, the data between two fields, or also HTTP requests. */
export type InspectionLevel = (typeof inspectionLevels)[number];

interface PrintOptions {
  readonly inspection: InspectionLevel;
  readonly json?: true;
}

/** @param name of the state; undefined when it is the whole definition */
export function printTest(
  result: StateTestResult,
  name: string | undefined,
  { inspection, json }: PrintOptions,
): void {
  const output = outputTo(process.stdout);
  const shown = inspected(result, inspection);
  if (json) return printJson(result, inspection === 'INFO' ? undefined : shown, output);
  output.write(`${headline(result, name, output)}\n`);
  const parts = Object.entries(shown);
  if (result.output !== undefined) parts.push(['output', result.output]);
  if (parts.length > 0) output.write(`\n${parts.map((part) => lines(part, output)).join('')}`);
}

function inspected({ inspection }: StateTestResult, level: InspectionLevel) {
  if (level === 'INFO') return {};
  if (level === 'TRACE') return inspection;
  const { request: _request, response: _response, ...data } = inspection;
  return data;
}

const statuses = {
  succeeded: 'SUCCEEDED',
  failed: 'FAILED',
  retriable: 'RETRIABLE',
  caughtError: 'CAUGHT_ERROR',
} as const;

function printJson(
  { status, output, error, cause, nextState }: StateTestResult,
  inspectionData: Readonly<Record<string, Json>> | undefined,
  { write }: Output,
): void {
  const printed = {
    status: statuses[status],
    output,
    // AWS leaves out absent fields of an error.
    error: error ?? undefined,
    cause: cause ?? undefined,
    nextState,
    inspectionData,
  };
  write(`${visibleJson(JSON.stringify(printed, undefined, 2))}\n`);
}

function headline(result: StateTestResult, name: string | undefined, { paint }: Output): string {
  const state = name === undefined ? 'The state' : `"${visible(name)}"`;
  const { error, cause, nextState, status } = result;
  const next = nextState === undefined ? '' : `"${visible(nextState)}"`;
  const failure = [error ?? 'an error without a name', ...(cause ? [cause] : [])]
    .map((text) => visible(text))
    .join(': ');
  switch (status) {
    case 'succeeded':
      return `${paint('green', '✓')} ${state} succeeds${next && `; the next state is ${next}`}.`;
    case 'caughtError':
      return `${paint('yellow', '!')} ${state} fails, and ${next} catches it: ${failure}`;
    case 'retriable':
      return `${paint('yellow', '!')} ${state} fails, and is retried ${afterDelay(result)}: ${failure}`;
    case 'failed':
      return `${paint('red', '✗')} ${state} fails: ${failure}`;
  }
}

function afterDelay({ inspection }: StateTestResult): string {
  const { retryBackoffIntervalSeconds: seconds } = inspection['errorDetails'] as {
    retryBackoffIntervalSeconds: number;
  };
  return seconds === 0 ? 'at once' : `after ${counted(seconds, 'second')}`;
}

/** A name and its value, on one line when they fit. */
function lines([name, value]: [string, Json], { paint, width }: Output): string {
  const line = visibleJson(JSON.stringify(value));
  const label = paint('dim', name);
  if (name.length + line.length + 2 <= width()) return `${label}: ${line}\n`;
  const indented = visibleJson(JSON.stringify(value, undefined, 2)).replaceAll('\n', '\n  ');
  return `${label}:\n  ${indented}\n`;
}
