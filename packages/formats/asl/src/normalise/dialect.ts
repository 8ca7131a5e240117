import { isRecord } from '@dramaturg/compiler';
import { isAgentOnly } from '../definition/field.ts';
import type { Dialect, WorkflowOptions } from '../definition/index.ts';
import { stateSchema, workflow } from '../document.ts';
import { isAgentType } from '../kinds.ts';
import { authoredStates } from '../walk.ts';

const agentFields = new Set(
  Object.entries(workflow.shape).flatMap(([name, field]) => (isAgentOnly(field) ? [name] : [])),
);

/**
 * The dialect of a workflow. An agent, or a state type that only agents' workflows have, decides first; then a resource or
 * JSONata; then any field or option that Agent State Language adds. A workflow without such signs is Amazon's.
 */
export function dialectOf(
  value: unknown,
  { missing }: Pick<WorkflowOptions, 'missing'> = {},
): Dialect {
  const signs = new Set<Sign>();
  if (missing === 'null') signs.add('agent field');
  if (isRecord(value)) {
    if (value['QueryLanguage'] !== undefined) signs.add('resource');
    if (Object.keys(value).some((field) => agentFields.has(field))) signs.add('agent field');
  }
  for (const { state } of authoredStates(value)) for (const sign of signsOf(state)) signs.add(sign);
  if (signs.has('agent')) return 'agent';
  return signs.has('agent field') && !signs.has('resource') ? 'agent' : 'amazon';
}

type Sign = 'agent' | 'resource' | 'agent field';

function* signsOf(state: Record<string, unknown>): Generator<Sign> {
  const type = state['Type'];
  if (Object.hasOwn(state, 'Agent') || isAgentType(type)) {
    yield 'agent';
  }
  if (Object.hasOwn(state, 'Resource') || state['QueryLanguage'] !== undefined) yield 'resource';
  const fields = stateSchema(type)?.shape ?? {};
  for (const name of Object.keys(state)) {
    if (Object.hasOwn(fields, name) && isAgentOnly(fields[name]!)) yield 'agent field';
  }
}
