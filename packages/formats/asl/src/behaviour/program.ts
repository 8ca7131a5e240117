import type { JsonObject, Path } from '@dramaturg/compiler';
import type { NodeMeta } from '@dramaturg/compiler/chart';
import type { Scope } from '@dramaturg/compiler/format';
import type {
  Dialect,
  MissingPaths,
  QueryLanguage,
  State,
  WorkflowBudget,
} from '../definition/index.ts';
import type { ProgressWeights } from '../definition/state.ts';
import type { DataFlow } from '../flow/data-flow.ts';
import type { ProgressReporting, StateEvents } from '../flow/progress.ts';
import { readWorkflowBudget } from '../definition/budget.ts';

/**
 * A state with its expressions compiled. Kinds and blocks add a slice of their own, such as `ApprovalProgram`, which
 * their behaviour names as the type parameter of `StateAtWork`.
 */
export interface Program {
  readonly state: State;
  readonly dialect: Dialect;
  readonly missing: MissingPaths;
  readonly flow: DataFlow;
  readonly events?: StateEvents;
  readonly reporting?: ProgressReporting;
}

/** The meta of a state's node: the authored state, and how to read it. */
export type StateMeta = JsonObject & {
  readonly origin?: Path;
  readonly title: string;
  /** As authored, without nested machines. */
  readonly state: JsonObject;
  readonly language: QueryLanguage;
  readonly dialect: Dialect;
  /** `fail` when left out. */
  readonly missing?: MissingPaths;
};

type CompileProgram = (meta: StateMeta) => Program;

let compileProgram: CompileProgram;

/** `index.ts` calls this once. A state kind names its behaviour, so behaviour cannot import the kinds. */
export function compileProgramsWith(compile: CompileProgram): void {
  compileProgram = compile;
}

/** Each node of a linked chart is compiled once. */
const programs = new WeakMap<NodeMeta, Program>();

export function programOf({ meta }: Pick<Scope, 'meta'>, node: string): Program {
  const found = meta.get(node)!;
  let program = programs.get(found);
  if (!program) {
    program = compileProgram(found as StateMeta);
    programs.set(found, program);
  }
  return program;
}

/** The weights of the workflow's states, from the meta of the chart's own node. */
export function shareOf({ meta }: Pick<Scope, 'meta'>, root: string): ProgressWeights | undefined {
  return meta.get(root)?.['share'] as ProgressWeights | undefined;
}

const budgets = new WeakMap<NodeMeta, WorkflowBudget>();

/** The budget of the workflow, from the meta of the chart's own node. */
export function budgetOf({ meta }: Pick<Scope, 'meta'>, root: string): WorkflowBudget | undefined {
  const found = meta.get(root)!;
  if (found['budget'] === undefined) return undefined;
  let budget = budgets.get(found);
  if (!budget) {
    budget = readWorkflowBudget(found['budget'])!;
    budgets.set(found, budget);
  }
  return budget;
}
