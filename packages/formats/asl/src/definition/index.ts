export type { StateBudget, WorkflowBudget } from './budget.ts';
export type { ChoiceRule, Condition } from './choice-rule.ts';
export type { QueryLanguage } from './field.ts';
export type { GuardrailRule, Guardrails, GuardrailSide } from './task-blocks.ts';
export {
  type Machine,
  type State,
  type Dialect,
  type MissingPaths,
  type Workflow,
  workflowOptions,
  type WorkflowOptions,
} from './machine.ts';
export type {
  Catcher,
  JitterStrategy,
  HasRecovery,
  Retrier,
  ValueSource,
  HasInput,
  HasResult,
  HasNext,
  StateBase,
} from './state.ts';
export type { Tools } from './tools.ts';
