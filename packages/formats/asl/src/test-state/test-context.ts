import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import type { World } from '@dramaturg/compiler/machine';
import type { State, Task } from '../definition/index.ts';
import { showsToken } from '../flow/task.ts';
import type { FoundState } from './find-state.ts';

/**
 * The context object of a test that gives none, like AWS's. A state within a Map is at the first item, which is the
 * input. Spec: AWS "TestState", automatic context population
 */
export function defaultContext(
  state: State,
  { map }: FoundState,
  input: Json,
  world: World,
): JsonObject {
  const now = new Date(world.now()).toISOString();
  const [execution, workflow, role] = [world.uuid(), world.uuid(), world.uuid()];
  const arn = 'arn:aws:states:us-east-1:111111111111';
  const hasCalls = 'Retry' in state;
  return {
    Execution: {
      Id: `${arn}:express:${workflow}:${execution}`,
      Input: input,
      Name: execution,
      // Only a state with calls needs a role.
      RoleArn: hasCalls ? `arn:aws:iam::111111111111:role/${role}` : null,
      StartTime: now,
    },
    StateMachine: { Id: `${arn}:stateMachine:${workflow}`, Name: workflow },
    // AWS calls every state so, even one that the test names.
    State: { Name: 'StateName', EnteredTime: now, ...(hasCalls && { RetryCount: 0 }) },
    ...(map && { Map: { Item: { Index: 0, Value: input, ...sourceOf(map) } } }),
    ...(state.Type === 'Task' && showsToken(state as Task) && { Task: { Token: world.uuid() } }),
  };
}

/** The source of the items of a distributed Map without an `ItemReader`. AWS "Context object", Map */
function sourceOf({ ItemProcessor: processor, ItemReader: reader }: JsonObject) {
  const config = isRecord(processor) ? processor['ProcessorConfig'] : undefined;
  const isDistributed = isRecord(config) && config['Mode'] === 'DISTRIBUTED';
  return isDistributed && reader === undefined ? { Source: 'STATE_DATA' } : {};
}
