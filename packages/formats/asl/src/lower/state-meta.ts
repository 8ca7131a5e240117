import { isRecord, type JsonObject } from '@dramaturg/compiler';
import type { NodeMeta } from '@dramaturg/compiler/chart';
import type { State } from '../definition/index.ts';
import { withWorkflowMemory } from '../kinds/memory/reading.ts';
import type { NodeContext } from './node-context.ts';

/** The meta of a state's node: the behaviour compiles expressions from it, and drawings show it. */
export function stateMeta(state: State, context: NodeContext): NodeMeta {
  const own = Object.entries(state.authored).flatMap(([field, value]) => {
    if (!context.machineFields.includes(field)) return [[field, value]];
    // Machines have nodes of their own. How they are run belongs to the state.
    const config = isRecord(value) ? value['ProcessorConfig'] : undefined;
    return config === undefined ? [] : [[field, { ProcessorConfig: config }]];
  });
  return {
    origin: state.at,
    title: state.name,
    state: { ...(Object.fromEntries(own) as JsonObject), ...filledIn(state, context) },
    language: state.QueryLanguage,
    dialect: context.dialect,
    ...(context.missing === 'null' && { missing: context.missing }),
  };
}

/** The workflow's defaults for its states. */
function filledIn(state: State, { memory: common }: NodeContext): JsonObject {
  const { Memory: memory } = state.authored as { Memory?: JsonObject };
  return {
    ...(state.Tools && { Tools: state.Tools.authored }),
    ...('Memory' in state && memory && common && { Memory: withWorkflowMemory(memory, common) }),
  };
}
