import type { Rule } from '@dramaturg/compiler/format';
import type { Lifecycle, LifecycleOptions } from '../definition.ts';

/** A rule of meaning for lifecycles. */
export type LifecycleRule = Rule<Lifecycle, LifecycleOptions>;
