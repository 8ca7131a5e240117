import type { JsonObject, NodeMeta, Scope } from '@dramaturg/compiler';
import type { Dialect, QueryLanguage, State, WorkflowBudget } from '../definition/index.ts';
import type { ApprovalFlow } from '../flow/approval.ts';
import type { Choose } from '../flow/choice.ts';
import type { CacheFlow } from '../flow/cache.ts';
import type { ContextFlow } from '../flow/context-window.ts';
import type { DataFlow } from '../flow/data-flow.ts';
import type { compileTopic } from '../flow/debate.ts';
import type { compileFail } from '../flow/fail.ts';
import type { Check } from '../flow/guardrails.ts';
import type { GivenValue } from '../flow/given.ts';
import type { compileMap } from '../flow/map.ts';
import type { compileLimits } from '../flow/task.ts';
import type { MemoryFlow } from '../flow/memory.ts';
import type { Reporting } from '../flow/progress.ts';
import type { StateEvents } from '../flow/state-events.ts';
import type { ToolRules } from '../flow/tools.ts';
import type { compileWait } from '../flow/wait.ts';
import type { Share } from '../definition/progress.ts';
import { readWorkflowBudget } from '../normalise/budget.ts';

/** A state with its expressions compiled: all that happens in it is worked out by calling these. */
export interface Program {
  readonly state: State;
  readonly dialect: Dialect;
  readonly flow: DataFlow;
  readonly choose?: Choose;
  readonly fail?: ReturnType<typeof compileFail>;
  readonly wait?: ReturnType<typeof compileWait>;
  readonly map?: ReturnType<typeof compileMap>;
  readonly limits?: ReturnType<typeof compileLimits>;
  /** The rules of guardrails. */
  readonly checks?: Readonly<Record<'Input' | 'Output', readonly Check[]>>;
  readonly tools?: ToolRules;
  readonly memory?: MemoryFlow;
  readonly context?: ContextFlow;
  readonly cache?: CacheFlow;
  readonly idempotencyKey?: GivenValue;
  readonly events?: StateEvents;
  readonly reporting?: Reporting;
  readonly approval?: ApprovalFlow;
  readonly topic?: ReturnType<typeof compileTopic>;
}

/** What a node of the chart says of its state: the author's own words, and how they are read. */
export interface StateMeta extends JsonObject {
  readonly title: string;
  /** As authored, without the machines within it. */
  readonly state: JsonObject;
  readonly language: QueryLanguage;
  readonly dialect: Dialect;
}

type CompileProgram = (meta: StateMeta) => Program;

let compileProgram: CompileProgram;

/** Called once, by `index.ts`: a state kind names its behaviour, so no behaviour can import the kinds. */
export function compileProgramsWith(compile: CompileProgram): void {
  compileProgram = compile;
}

/** Compiled once for each node of a linked chart. */
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

/** How much of the workflow its states are, as the chart's own node has it. */
export function shareOf({ meta }: Pick<Scope, 'meta'>, root: string): Share | undefined {
  return meta.get(root)?.['share'] as Share | undefined;
}

const budgets = new WeakMap<NodeMeta, WorkflowBudget>();

/** The budget of the workflow, which the chart's own node has. */
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
