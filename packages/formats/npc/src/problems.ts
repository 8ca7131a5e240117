import { problemsOf } from '@dramaturg/compiler/format';

/** Declares the kinds of problems of NPC scenarios. Each has a page in docs/diagnostics/npc. */
export const { error, info, misread, warning, kinds } = problemsOf('npc');
