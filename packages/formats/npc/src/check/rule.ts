import type { Rule } from '@dramaturg/compiler/format';
import type { Npc, NpcOptions } from '../definition.ts';

/** A rule of meaning for NPC scenarios. */
export type NpcRule = Rule<Npc, NpcOptions>;
