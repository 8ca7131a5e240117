import type { JsonObject, NodeMeta } from '@dramaturg/compiler';
import type { State } from '../definition/index.ts';
import { withWorkflowMemory } from '../normalise/memory.ts';
import type { Place } from './node-context.ts';

/** Machines have nodes of their own. */
const machines: ReadonlySet<string> = new Set(['Branches', 'Iterator', 'ItemProcessor']);

/** What a node says of its state: `behaviour` compiles its expressions from it, and people read it in drawings. */
export function stateMeta(state: State, place: Place): NodeMeta {
  const own = Object.entries(state.authored).filter(([field]) => !machines.has(field));
  return {
    origin: state.at,
    title: state.name,
    state: { ...(Object.fromEntries(own) as JsonObject), ...filledIn(state, place) },
    language: state.QueryLanguage,
    dialect: place.dialect,
  };
}

/** What the workflow says for all its states. */
function filledIn(state: State, { memory: common }: Place): JsonObject {
  const { Memory: memory } = state.authored as { Memory?: JsonObject };
  const isKept = state.Type === 'Task' || state.Type === 'Pass';
  return {
    ...(state.Type === 'Task' && state.Tools && { Tools: state.Tools.authored }),
    ...(isKept && memory && common && { Memory: withWorkflowMemory(memory, common) }),
  };
}
