import { problem } from '@dramaturg/compiler';

export const needsDistributed = problem('asl/needs-distributed', 'error', (field: string) => ({
  message: `Only a distributed Map has "${field}".`,
  hint: 'Add "ProcessorConfig": { "Mode": "DISTRIBUTED", "ExecutionType": "STANDARD" } to its "ItemProcessor".',
}));

export const executionType = problem('asl/execution-type', 'error', (isMissing: boolean) => ({
  message: isMissing
    ? 'A distributed Map says by "ExecutionType" what kind of workflow runs for each item.'
    : 'An inline Map runs within its workflow, so it has no "ExecutionType".',
  hint: isMissing
    ? 'Add "ExecutionType": "STANDARD" or "EXPRESS".'
    : 'Remove it, or set "Mode": "DISTRIBUTED".',
}));

export const badLabel = problem('asl/bad-label', 'error', (because: string) => ({
  message: `This cannot be the label of a Map: ${because}.`,
  hint: 'Use letters, digits, "-" and "_", 40 at most.',
}));

export const headersMissing = problem('asl/headers-missing', 'error', () => ({
  message: 'The headers of the table are missing.',
  hint: 'Add "CSVHeaders": ["first", "second"], or set "CSVHeaderLocation": "FIRST_ROW".',
}));
