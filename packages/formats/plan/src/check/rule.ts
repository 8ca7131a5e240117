import type { Rule } from '@dramaturg/compiler';
import type { Plan, PlanOptions } from '../definition.ts';

/** A rule of meaning for plans. */
export type PlanRule = Rule<Plan, PlanOptions>;
