import { references } from '@dramaturg/compiler/format';
import type { behaviour } from '../behaviour/index.ts';

/** The names of the behaviour, for charts. */
export const { guard, action, context, input } = references<typeof behaviour>();
