import type { ProblemKind } from '@dramaturg/compiler/format';
import { kinds } from '../kinds.ts';
import type { Kind } from '../kinds/kind.ts';
import * as task from '../kinds/task/problems.ts';
import * as blocks from './blocks.ts';
import * as choice from './choice.ts';
import * as data from './data.ts';
import * as expressions from './expressions.ts';
import * as fields from './fields.ts';

/** Every kind of problem of a workflow, with its wording. Each has a page in docs/diagnostics/asl. */
export const workflowProblems: readonly ProblemKind[] = [
  ...[fields, expressions, data, choice, blocks, task].flatMap((all) => Object.values(all)),
  ...Object.values<Pick<Kind<never>, 'problems'>>(kinds).flatMap(({ problems = [] }) => problems),
];
