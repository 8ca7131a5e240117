import { problemsOf } from '@dramaturg/compiler/format';

/** Declares the kinds of problems of lifecycles. Each has a page in docs/diagnostics/lifecycle. */
export const { error, info, misread, warning, kinds } = problemsOf('lifecycle');
