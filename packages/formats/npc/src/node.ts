import { requireFrom } from '@dramaturg/compiler/format';
import type * as index from './index.ts';

/** The entry for Node. `dramaturg` requires `index.ts` when it is first used, which fails while Node is importing the same module. */
export const { npc } = requireFrom(import.meta)('./index.js') as typeof index;
