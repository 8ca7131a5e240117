import { problem } from '@dramaturg/compiler/format';

export const needsDistributed = problem('asl/needs-distributed', 'error', (field: string) => ({
  message: `"${field}" is a field of distributed Maps. This Map is inline.`,
  hint: 'Add "ProcessorConfig": { "Mode": "DISTRIBUTED", "ExecutionType": "STANDARD" } to "ItemProcessor".',
}));

export const executionType = problem('asl/execution-type', 'error', (isMissing: boolean) => ({
  message: isMissing
    ? 'This distributed Map has no "ExecutionType".'
    : 'This inline Map has an "ExecutionType", which only distributed Maps have.',
  hint: isMissing
    ? 'Add "ExecutionType": "STANDARD" or "EXPRESS".'
    : 'Remove it, or set "Mode": "DISTRIBUTED".',
}));

export const badLabel = problem('asl/bad-label', 'error', (because: string) => ({
  message: `This label is not valid: ${because}.`,
  hint: 'Use letters, digits, "-" and "_", at most 40 characters.',
}));

export const headersMissing = problem('asl/headers-missing', 'error', () => ({
  message:
    'The table has no headers: "CSVHeaderLocation" is "GIVEN", but "CSVHeaders" is empty or missing.',
  hint: 'Add "CSVHeaders": ["first", "second"], or set "CSVHeaderLocation": "FIRST_ROW".',
}));
