import type { ProblemKind } from '@dramaturg/compiler/format';
import * as approval from '../kinds/approval/approval.ts';
import * as budget from './budget.ts';
import * as choice from './choice.ts';
import * as data from './data.ts';
import * as debate from '../kinds/debate/debate.ts';
import * as durations from './durations.ts';
import * as engines from './engines.ts';
import * as expressions from './expressions.ts';
import * as fields from './fields.ts';
import * as guardrails from './guardrails.ts';
import * as include from './include.ts';
import * as loop from './loop.ts';
import * as map from '../kinds/map/map.ts';
import * as retry from './retry.ts';
import * as structure from './structure.ts';
import * as task from '../kinds/task/problems.ts';
import * as tools from './tools.ts';

/** Every kind of problem of a workflow, with its wording. Each has a page in docs/diagnostics/asl. */
export const workflowProblems: readonly ProblemKind[] = [
  structure,
  fields,
  engines,
  expressions,
  data,
  choice,
  loop,
  retry,
  task,
  map,
  durations,
  debate,
  approval,
  include,
  budget,
  guardrails,
  tools,
].flatMap((kinds) => Object.values(kinds));
