import { problem } from '@dramaturg/compiler/format';

export const enginesNotLoaded = problem('asl/engines-not-loaded', 'error', () => ({
  message:
    'Nothing can check or run this: the page has not loaded what reads JSONata, regular expressions and JSON Schemas.',
  hint: 'Call "await loadWorkflowEngines()" of dramaturg/browser before "compile" and "check".',
}));
