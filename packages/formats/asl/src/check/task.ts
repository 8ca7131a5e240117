import { isRecord } from '@dramaturg/compiler';
import type { Task } from '../definition/index.ts';
import { missingField } from '../diagnostics/fields.ts';
import {
  badResource,
  longHeartbeat,
  unknownIntegration,
  waitingInExpress,
} from '../diagnostics/task.ts';
import { authoredPart, partOf } from '../authored.ts';
import { integrationActions } from './integrations.ts';
import { atMostOne, exactlyOne, type StateRule } from './rule.ts';

/** A task has an agent or a resource. Spec: Agent 2 §Task State, states-language.net/spec.html#task-state */
const tasksAreDone: StateRule<Task> = (task, { definition, report }) => {
  const workers = definition.dialect === 'agent' ? ['Agent', 'Resource'] : ['Resource'];
  exactlyOne('A Task state', authoredPart(task), workers, report, ['Agent']);
};

/** A limit is given once. Spec: states-language.net/spec.html#timeouts */
const limitsAreGivenOnce: StateRule<Task> = (task, { report }) => {
  for (const field of ['TimeoutSeconds', 'HeartbeatSeconds']) {
    atMostOne(authoredPart(task), [field, `${field}Path`], report);
  }
};

/** The heartbeat limit is shorter than the time limit. Spec: states-language.net/spec.html#timeouts */
const heartbeatsAreShorter: StateRule<Task> = (
  { TimeoutSeconds: timeout, HeartbeatSeconds: heartbeat },
  { report },
) => {
  if (!timeout || !heartbeat || !('value' in timeout) || !('value' in heartbeat)) return;
  if (heartbeat.value >= timeout.value) {
    report(longHeartbeat(heartbeat.value, timeout.value), heartbeat.at);
  }
};

/** A resource has a valid name. Spec: states-language.net/spec.html#task-state, AWS "ARNs of Lambda functions" */
const resourcesAreNamed: StateRule<Task> = ({ authored, at }, { report }) => {
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
  return 'the alias of a function has letters, digits, "-" and "_", or is $LATEST';
}

function referenceFault(resource: Record<string, unknown>): string | undefined {
  const [key, ...others] = Object.keys(resource);
  const isReference = key === 'Ref' || key?.startsWith('Fn::') === true;
  return isReference && others.length === 0
    ? undefined
    : 'an object here is a reference of CloudFormation, { "Ref": "Name" }';
}

const integration =
  /^arn:[^:]*:states:[^:]*:[^:]*:([\w-]+):(\w+)(?:\.(sync|waitForTaskToken))?(?::\d)?$/;

/** An action of an AWS integration exists. Spec: AWS "Integrating other services" */
const integrationsExist: StateRule<Task> = ({ Resource: resource, at }, { report }) => {
  const [, service, action] = integration.exec(resource ?? '') ?? [];
  if (service === undefined || action === undefined) return;
  const known = integrationActions(service);
  if (known && !known.includes(action)) {
    report(unknownIntegration(service, action, known), [...at, 'Resource']);
  }
};

/** An express workflow does not wait for work it has started. Spec: AWS "Service integration patterns" */
const expressDoesNotWait: StateRule<Task> = ({ Resource: resource, at }, { options, report }) => {
  if (options.kind !== 'express') return;
  const [, , , pattern] = integration.exec(resource ?? '') ?? [];
  if (pattern !== undefined) report(waitingInExpress(`.${pattern}`), [...at, 'Resource']);
};

/**
 * Credentials name a role. AWS refuses others in JSONata states; for JSONPath states the language does not say, and its
 * validators accept anything. Spec: states-language.net/spec.html#task-state
 */
const credentialsNameARole: StateRule<Task> = (task, { report }) => {
  const credentials = partOf(authoredPart(task), 'Credentials');
  if (!credentials || task.QueryLanguage === 'JSONPath') return;
  if (!Object.hasOwn(credentials.value, 'RoleArn')) {
    report(missingField('"Credentials"', ['RoleArn']), credentials.at);
  }
};

export const taskRules: readonly StateRule<Task>[] = [
  tasksAreDone,
  limitsAreGivenOnce,
  heartbeatsAreShorter,
  resourcesAreNamed,
  integrationsExist,
  expressDoesNotWait,
  credentialsNameARole,
];
