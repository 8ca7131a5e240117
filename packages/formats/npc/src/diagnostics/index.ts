import type { ProblemKind } from '@dramaturg/compiler/format';
import * as assumptions from './assumptions.ts';
import * as links from './links.ts';
import * as scenarios from './scenarios.ts';
import * as starts from './starts.ts';
import * as states from './states.ts';
import * as transitions from './transitions.ts';

/** Every kind of problem of an NPC definition, with its wording. Each has a page in docs/diagnostics/npc. */
export const npcProblems: readonly ProblemKind[] = [
  assumptions,
  scenarios,
  starts,
  states,
  transitions,
  links,
].flatMap((kinds) => Object.values(kinds));
