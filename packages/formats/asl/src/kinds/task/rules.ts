import { isRecord } from '@dramaturg/compiler';
import { authoredPart, partOf } from '../../authored.ts';
import { atMostOne, exactlyOne, type StateRule } from '../../check/rule.ts';
import { integrationRules } from '../../check/task-integrations.ts';
import type { Task } from '../../definition/index.ts';
import { missingField } from '../../diagnostics/fields.ts';
import { badResource, longHeartbeat } from './problems.ts';

/**
 * Reports tasks without an agent or a resource, or with both.
 * Spec: Agent 2 §Task State, states-language.net/spec.html#task-state
 */
const tasksWithoutWorker: StateRule<Task> = (task, { definition, options, report }) => {
  // Without either field, only an option can tell which dialect the author means.
  const isAmazon = definition.dialect === 'amazon' && options.dialect !== undefined;
  const workers = isAmazon ? ['Resource'] : ['Agent', 'Resource'];
  exactlyOne('A Task state', authoredPart(task), workers, report, ['Agent']);
};

/** Reports limits given in two fields. Spec: states-language.net/spec.html#timeouts */
const repeatedLimits: StateRule<Task> = (task, { report }) => {
  for (const field of ['TimeoutSeconds', 'HeartbeatSeconds']) {
    atMostOne(authoredPart(task), [field, `${field}Path`], report);
  }
};

/** Reports heartbeat limits not shorter than the time limit. Spec: states-language.net/spec.html#timeouts */
const longHeartbeats: StateRule<Task> = (
  { TimeoutSeconds: timeout, HeartbeatSeconds: heartbeat },
  { report },
) => {
  if (!timeout || !heartbeat || !('value' in timeout) || !('value' in heartbeat)) return;
  if (heartbeat.value >= timeout.value) {
    report(longHeartbeat(heartbeat.value, timeout.value), heartbeat.at);
  }
};

/**
 * Reports resources whose name is not valid.
 * Spec: states-language.net/spec.html#task-state, AWS "ARNs of Lambda functions"
 */
const badResources: StateRule<Task> = ({ authored, at }, { report }) => {
  const { Resource: resource } = authored;
  const fault = isRecord(resource) ? referenceFault(resource) : resourceFault(resource);
  if (fault !== undefined) report(badResource(fault), [...at, 'Resource']);
};

function resourceFault(resource: unknown): string | undefined {
  if (typeof resource !== 'string') return undefined;
  if (resource.trim() === '') return 'it is empty';
  if (/\$\{[^}]*$/.test(resource)) return 'a "${" is not closed';
  const [, alias] = /^arn:[^:]*:lambda:[^:]*:[^:]*:function:[^:]*(?::(.*))?$/.exec(resource) ?? [];
  if (alias === undefined || /^(?:\$LATEST|[\w-]+)$/.test(alias) || /[<{]/.test(alias))
    return undefined;
  return 'a function alias can have letters, digits, "-" and "_", or be $LATEST';
}

function referenceFault(resource: Record<string, unknown>): string | undefined {
  const [key, ...others] = Object.keys(resource);
  const isReference = key === 'Ref' || key?.startsWith('Fn::') === true;
  return isReference && others.length === 0
    ? undefined
    : 'an object must be a CloudFormation reference such as { "Ref": "Name" }';
}

/**
 * Reports credentials of JSONata states without a role: AWS refuses them. For JSONPath states the language has no
 * rule, and its validators accept anything. Spec: states-language.net/spec.html#task-state
 */
const credentialsWithoutRole: StateRule<Task> = (task, { report }) => {
  const credentials = partOf(authoredPart(task), 'Credentials');
  if (!credentials || task.QueryLanguage === 'JSONPath') return;
  if (!Object.hasOwn(credentials.value, 'RoleArn')) {
    report(missingField('"Credentials"', ['RoleArn']), credentials.at);
  }
};

export const taskRules: readonly StateRule<Task>[] = [
  tasksWithoutWorker,
  repeatedLimits,
  longHeartbeats,
  badResources,
  ...integrationRules,
  credentialsWithoutRole,
];
