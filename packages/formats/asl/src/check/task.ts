import { isRecord } from '@dramaturg/compiler';
import type { Workflow, Task } from '../definition/index.ts';
import { missingField } from '../diagnostics/fields.ts';
import {
  badResource,
  longHeartbeat,
  unknownIntegration,
  waitingInExpress,
} from '../diagnostics/task.ts';
import { authoredPart, partOf, statesOf } from '../walk.ts';
import { integrationActions } from './integrations.ts';
import { atMostOne, exactlyOne, type WorkflowRule } from './rule.ts';

/** Somebody does the work: an agent, or a resource. Spec: Agent 2 §Task State, states-language.net/spec.html#task-state */
export const tasksAreDone: WorkflowRule = ({ definition, report }) => {
  const workers = definition.dialect === 'agent' ? ['Agent', 'Resource'] : ['Resource'];
  for (const task of tasksOf(definition)) {
    exactlyOne('A Task state', authoredPart(task), workers, report, ['Agent']);
  }
};

/** A limit is given once. Spec: states-language.net/spec.html#timeouts */
export const limitsAreGivenOnce: WorkflowRule = ({ definition, report }) => {
  for (const task of tasksOf(definition)) {
    for (const field of ['TimeoutSeconds', 'HeartbeatSeconds']) {
      atMostOne(authoredPart(task), [field, `${field}Path`], report);
    }
  }
};

/** Silence is noticed before the work takes too long. Spec: states-language.net/spec.html#timeouts */
export const heartbeatsAreShorter: WorkflowRule = ({ definition, report }) => {
  for (const { TimeoutSeconds: timeout, HeartbeatSeconds: heartbeat } of tasksOf(definition)) {
    if (!timeout || !heartbeat || !('value' in timeout) || !('value' in heartbeat)) continue;
    if (heartbeat.value >= timeout.value) {
      report(longHeartbeat(heartbeat.value, timeout.value), heartbeat.at);
    }
  }
};

/** A resource has a name that can be one. Spec: states-language.net/spec.html#task-state, AWS "ARNs of Lambda functions" */
export const resourcesAreNamed: WorkflowRule = ({ definition, report }) => {
  for (const { authored, at } of tasksOf(definition)) {
    const { Resource: resource } = authored;
    const fault = isRecord(resource) ? referenceFault(resource) : resourceFault(resource);
    if (fault !== undefined) report(badResource(fault), [...at, 'Resource']);
  }
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

/** A service that AWS integrates has the action that is asked for. Spec: AWS "Integrating other services" */
export const integrationsExist: WorkflowRule = ({ definition, report }) => {
  for (const { Resource: resource, at } of tasksOf(definition)) {
    const [, service, action] = integration.exec(resource ?? '') ?? [];
    if (service === undefined || action === undefined) continue;
    const known = integrationActions(service);
    if (known && !known.includes(action)) {
      report(unknownIntegration(service, action, known), [...at, 'Resource']);
    }
  }
};

/** An express workflow waits for nothing that it has started. Spec: AWS "Service integration patterns" */
export const expressDoesNotWait: WorkflowRule = ({ definition, options, report }) => {
  if (options.kind !== 'express') return;
  for (const { Resource: resource, at } of tasksOf(definition)) {
    const [, , , pattern] = integration.exec(resource ?? '') ?? [];
    if (pattern !== undefined) report(waitingInExpress(`.${pattern}`), [...at, 'Resource']);
  }
};

/**
 * Credentials say whose they are. AWS is recorded to refuse others in JSONata states; of JSONPath states the language
 * says nothing, and its validators accept anything. Spec: states-language.net/spec.html#task-state
 */
export const credentialsNameARole: WorkflowRule = ({ definition, report }) => {
  for (const task of tasksOf(definition)) {
    const credentials = partOf(authoredPart(task), 'Credentials');
    if (!credentials || task.QueryLanguage === 'JSONPath') continue;
    if (!Object.hasOwn(credentials.value, 'RoleArn')) {
      report(missingField('"Credentials"', ['RoleArn']), credentials.at);
    }
  }
};

function tasksOf(workflow: Workflow): Task[] {
  return statesOf(workflow).filter((state) => state.authored['Type'] === 'Task') as Task[];
}
