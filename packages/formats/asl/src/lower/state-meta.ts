import type { JsonObject, NodeMeta } from '@dramaturg/compiler';
import type { State } from '../definition/index.ts';
import { withWorkflowMemory } from '../normalise/memory.ts';
import type { NodeContext } from './node-context.ts';

/** What a node says of its state: `behaviour` compiles its expressions from it, and people read it in drawings. */
export function stateMeta(state: State, context: NodeContext): NodeMeta {
  const own = Object.entries(state.authored).filter(
    // Machines have nodes of their own.
    ([field]) => !context.machineFields.includes(field),
  );
  return {
    origin: state.at,
    title: state.name,
    state: { ...(Object.fromEntries(own) as JsonObject), ...filledIn(state, context) },
    language: state.QueryLanguage,
    dialect: context.dialect,
  };
}

/** What the workflow says for all its states. */
function filledIn(state: State, { memory: common }: NodeContext): JsonObject {
  const { Memory: memory } = state.authored as { Memory?: JsonObject };
  return {
    ...(state.Tools && { Tools: state.Tools.authored }),
    ...('Memory' in state && memory && common && { Memory: withWorkflowMemory(memory, common) }),
  };
}
