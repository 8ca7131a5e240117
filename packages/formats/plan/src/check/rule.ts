import type { Rule } from '@dramaturg/compiler/format';
import type { Plan, PlanOptions } from '../definition.ts';

/** A rule of meaning for plans. */
export type PlanRule = Rule<Plan, PlanOptions>;
