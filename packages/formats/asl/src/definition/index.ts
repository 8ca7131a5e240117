export {
  type Approval,
  approvingOption,
  type Batch,
  type Editable,
  type Escalation,
  type Notification,
  type Policy,
  rejectingOption,
} from './approval.ts';
export type { StateBudget, WorkflowBudget } from './budget.ts';
export type { Checkpoint } from './checkpoint.ts';
export type { Choice } from './choice.ts';
export type { ChoiceRule, Condition } from './choice-rule.ts';
export type { Include } from './include.ts';
export type { Subworkflow } from './subworkflow.ts';
export type { Consensus, Debate } from './debate.ts';
export type { QueryLanguage } from './field.ts';
export type { GuardrailRule, Guardrails, GuardrailSide } from './guardrails.ts';
export type { Machine } from './machine.ts';
export type { State } from './machine.ts';
export type { ItemBatcher, ItemReader, MapState, ResultWriter } from './map.ts';
export type { Fail } from './fail.ts';
export type { Succeed } from './succeed.ts';
export type { Parallel } from './parallel.ts';
export type { Pass } from './pass.ts';
export type { Catcher, JitterStrategy, HasRecovery, Retrier } from './retry.ts';
export type { ValueSource, HasInput, HasResult, HasNext, StateBase } from './state.ts';
export type { Task } from './task.ts';
export type { Tools } from './tools.ts';
export type { Wait } from './wait.ts';
export {
  type Dialect,
  type MissingPaths,
  type Workflow,
  workflowOptions,
  type WorkflowOptions,
} from './workflow.ts';
