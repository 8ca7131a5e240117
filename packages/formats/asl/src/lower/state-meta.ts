import type { JsonObject, NodeMeta } from '@dramaturg/compiler';
import type { State } from '../definition/index.ts';
import type { Place } from './place.ts';

/** Machines have nodes of their own. */
const machines: ReadonlySet<string> = new Set(['Branches', 'Iterator', 'ItemProcessor']);

/** What a node says of its state: `behaviour` compiles its expressions from it, and people read it in drawings. */
export function stateMeta(state: State, { dialect }: Place): NodeMeta {
  const own = Object.entries(state.authored).filter(([field]) => !machines.has(field));
  return {
    origin: state.at,
    title: state.name,
    state: { ...(Object.fromEntries(own) as JsonObject), ...filledIn(state) },
    language: state.QueryLanguage,
    dialect,
  };
}

/** A task has its workflow's tools. */
function filledIn(state: State): JsonObject {
  return state.Type === 'Task' && state.Tools ? { Tools: state.Tools.authored } : {};
}
