import type { State, Task } from '../../definition/index.ts';
import { showsToken } from '../../flow/task.ts';
import { isUnfilled, objectOf, type ValueSet } from './value-set.ts';

/**
 * The context object of a state. A run may be started with more fields in its first two. Amazon #context-object, AWS
 * "Context object"
 *
 * @param item of the Map around; undefined outside of one
 */
export function contextValues(state: State, item: ValueSet | undefined): ValueSet {
  const fields = new Map<string, ValueSet>([
    ['Execution', 'any'],
    ['StateMachine', 'any'],
    ['State', recordOf('Name', 'EnteredTime', 'RetryCount')],
  ]);
  if (item !== undefined) {
    const known = new Map<string, ValueSet>([
      ['Index', 'any'],
      ['Key', 'any'],
      ['Source', 'any'],
      ['Value', item],
    ]);
    fields.set('Map', objectOf(new Map([['Item', objectOf(known, [])]]), []));
  }
  if (mayShowToken(state)) fields.set('Task', recordOf('Token'));
  return objectOf(fields, []);
}

function recordOf(...names: readonly string[]): ValueSet {
  return objectOf(new Map(names.map((name): [string, ValueSet] => [name, 'any'])), []);
}

function mayShowToken(state: State): boolean {
  if (state.Type !== 'Task') return false;
  const task = state as Task;
  return showsToken(task) || isUnfilled(task.Resource);
}
