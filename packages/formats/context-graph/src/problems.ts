import { problemsOf } from '@dramaturg/compiler/format';

/** Declares the kinds of problems of context graphs. Each has a page in docs/diagnostics/context-graph. */
export const { error, info, warning, kinds } = problemsOf('context-graph');
