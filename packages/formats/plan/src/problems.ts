import { problemsOf } from '@dramaturg/compiler/format';

/** Declares the kinds of problems of plans. Each has a page in docs/diagnostics/plan. */
export const { error, info, misread, warning, kinds } = problemsOf('plan');
