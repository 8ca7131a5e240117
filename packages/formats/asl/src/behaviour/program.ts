import { isRecord, type JsonObject, type NodeMeta, type Scope } from '@dramaturg/compiler';
import type {
  Dialect,
  GuardrailSide,
  QueryLanguage,
  State,
  Task,
  WorkflowBudget,
} from '../definition/index.ts';
import { type ApprovalFlow, compileApproval } from '../flow/approval.ts';
import { type Choose, compileChoice } from '../flow/choice.ts';
import { type CacheFlow, compileCache } from '../flow/cache.ts';
import { compileContext, type ContextFlow } from '../flow/context-window.ts';
import type { DataFlow } from '../flow/data-flow.ts';
import { compileTopic } from '../flow/debate.ts';
import { compileFail } from '../flow/fail.ts';
import { type Check, compileRule } from '../flow/guardrails.ts';
import { compileGiven, type GivenValue } from '../flow/given.ts';
import { jsonataFlow } from '../flow/jsonata-flow.ts';
import { jsonpathFlow } from '../flow/jsonpath-flow.ts';
import { compileMap } from '../flow/map.ts';
import { compileLimits } from '../flow/task.ts';
import { compileMemory, type MemoryFlow } from '../flow/memory.ts';
import { compileReporting, type Reporting } from '../flow/progress-report.ts';
import { compileStateEvents, type StateEvents } from '../flow/state-events.ts';
import { compileTools, type ToolRules } from '../flow/tools.ts';
import { compileWait } from '../flow/wait.ts';
import type { Share } from '../definition/progress.ts';
import { readWorkflowBudget } from '../normalise/budget.ts';
import { readState } from '../normalise/machine.ts';

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

export function compileProgram({ title, state: authored, language, dialect }: StateMeta): Program {
  const reading = { dialect, findings: [], budget: { statesLeft: Infinity } };
  const placed = { value: isRecord(authored) ? authored : {}, at: [] };
  const state = readState(title, placed, language, reading);
  const flow =
    state.QueryLanguage === 'JSONata' ? jsonataFlow(state) : jsonpathFlow(state, dialect);
  const events = compileStateEvents(state);
  const reporting = compileReporting(state);
  const program = {
    state,
    dialect,
    flow,
    ...(events && { events }),
    ...(reporting && { reporting }),
  };
  switch (state.Type) {
    case 'Choice':
      return { ...program, choose: compileChoice(state, dialect) };
    case 'Fail':
      return { ...program, fail: compileFail(state, dialect) };
    case 'Wait':
      return { ...program, wait: compileWait(state, dialect) };
    case 'Map':
      return { ...program, map: compileMap(state, dialect) };
    case 'Pass':
      return state.Memory ? { ...program, memory: compileMemory(state.Memory, dialect) } : program;
    case 'Task':
      return {
        ...program,
        limits: compileLimits(state, dialect),
        ...compileBlocks(state, dialect),
      };
    case 'Approval':
      return { ...program, approval: compileApproval(state, dialect) };
    case 'Debate':
      return { ...program, topic: compileTopic(state, dialect) };
    default:
      return program;
  }
}

/** What a task says of how its agent is looked after. */
function compileBlocks(
  task: Task,
  dialect: Dialect,
): Pick<Program, 'checks' | 'tools' | 'memory' | 'context' | 'cache' | 'idempotencyKey'> {
  const { Guardrails: guardrails, Tools: tools, Memory: memory, Context: context } = task;
  const { Cache: cache, Calling: calling } = task;
  const idempotency = calling?.idempotencyKey;
  const compiled = (side: GuardrailSide | undefined) => side?.rules.map(compileRule) ?? [];
  return {
    ...(guardrails && {
      checks: { Input: compiled(guardrails.Input), Output: compiled(guardrails.Output) },
    }),
    ...(tools && { tools: compileTools(tools) }),
    ...(memory && { memory: compileMemory(memory, dialect) }),
    ...(context && { context: compileContext(context, dialect) }),
    ...(cache && { cache: compileCache(cache, dialect) }),
    ...(idempotency && { idempotencyKey: compileGiven(idempotency, dialect, 'IdempotencyKey') }),
  };
}
