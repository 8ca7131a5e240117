import type { Format } from '@dramaturg/compiler/format';
import { namedAgents } from '@dramaturg/conversation';
import { authoring } from './authoring.ts';
import { behaviour } from './behaviour/index.ts';
import { planRules } from './check/index.ts';
import { dataTypes } from './data-types.ts';
import { normalise, type Plan } from './definition.ts';
import { planSchema } from './editor-schema.ts';
import { lower } from './lower/plan.ts';
import { outline } from './outline.ts';
import { wiringIn } from './plan-graph.ts';
import { kinds } from './problems.ts';
import { planOptions, type PlanOptions, recognise, shapeOf } from './shape.ts';

/** Conversation plans: states with tasks and deliverables. Spec: docs/formats/plan.md */
export const plan: Format<Plan, PlanOptions> = {
  name: 'plan',
  kind: 'conversation',
  title: 'conversation plan',
  suffixes: ['.plan.json', '.plan.yaml', '.plan.yml'],
  recognise,
  shape: shapeOf,
  schemas: [planSchema],
  authoring,
  dataTypes,
  options: planOptions,
  normalise,
  rules: planRules,
  lower,
  wiring: wiringIn,
  agentReferences: namedAgents,
  form: { key: 'session', fields: ({ session_context }) => session_context },
  outline,
  behaviour,
  problems: kinds,
};

export type { Condition, ConditionType } from './conditions/table.ts';

export type { DeliverableRecord, PlanContext, TaskStatus, Visit } from './context.ts';

export type * from './definition.ts';
export type * from './shape.ts';
export type * from './events.ts';
