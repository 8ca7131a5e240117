import { isRecord } from '@dramaturg/compiler';
import { isAgentOnly } from '../definition/field.ts';
import type { Dialect } from '../definition/index.ts';
import { agentTypes, isStateType, stateSchemas } from '../definition/machine.ts';
import { workflow } from '../definition/workflow.ts';

const agentFields = new Set(
  Object.entries(workflow.shape).flatMap(([name, field]) => (isAgentOnly(field) ? [name] : [])),
);

/**
 * Whose words count in a workflow. An agent, or a type of state that only agents' workflows have, settles it; then a
 * resource or JSONata does; then any field that Agent State Language adds. What both languages have is Amazon's.
 */
export function dialectOf(value: unknown): Dialect {
  const signs = new Set<Sign>();
  if (isRecord(value)) {
    if (value['QueryLanguage'] !== undefined) signs.add('resource');
    if (Object.keys(value).some((field) => agentFields.has(field))) signs.add('agent field');
  }
  for (const state of authoredStates(value)) for (const sign of signsOf(state)) signs.add(sign);
  if (signs.has('agent')) return 'agent';
  return signs.has('agent field') && !signs.has('resource') ? 'agent' : 'amazon';
}

type Sign = 'agent' | 'resource' | 'agent field';

function* signsOf(state: Record<string, unknown>): Generator<Sign> {
  const type = state['Type'];
  if (Object.hasOwn(state, 'Agent') || (typeof type === 'string' && agentTypes.has(type))) {
    yield 'agent';
  }
  if (Object.hasOwn(state, 'Resource') || state['QueryLanguage'] !== undefined) yield 'resource';
  if (!isStateType(type)) return;
  const fields = stateSchemas[type].shape;
  for (const name of Object.keys(state)) {
    if (Object.hasOwn(fields, name) && isAgentOnly(fields[name])) yield 'agent field';
  }
}

/** Every state of a value that may be anything, those of branches and iterators too. */
function* authoredStates(value: unknown): Generator<Record<string, unknown>> {
  const machines = [value];
  for (const machine of machines) {
    const states = isRecord(machine) ? machine['States'] : undefined;
    for (const state of isRecord(states) ? Object.values(states) : []) {
      if (!isRecord(state)) continue;
      yield state;
      const branches = state['Branches'];
      if (Array.isArray(branches)) for (const branch of branches) machines.push(branch);
      machines.push(state['Iterator'], state['ItemProcessor']);
    }
  }
}
