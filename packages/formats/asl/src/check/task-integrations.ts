import { isRecord } from '@dramaturg/compiler';
import type { Task } from '../kinds/task/definition.ts';
import {
  badResource,
  missingToken,
  unknownIntegration,
  unknownService,
  wrongPattern,
} from '../kinds/task/problems.ts';
import {
  hasPattern,
  integratedServices,
  type Integration,
  integrationActions,
  readIntegration,
} from './integrations.ts';
import type { StateRule } from './rule.ts';
import { sdkServices } from './sdk-services.ts';

export function integrationOf({ Resource: resource }: Task): Integration | undefined {
  const found = resource === undefined ? undefined : readIntegration(resource);
  return found && 'fault' in found ? undefined : found;
}

/**
 * Reports integrations whose names have the wrong form, services and actions that AWS does not have, and patterns that an
 * action does not have. Spec: AWS "Integrating services", "Service integration patterns"
 */
const wrongIntegrations: StateRule<Task> = ({ Resource: resource, at }, { report }) => {
  const path = [...at, 'Resource'];
  const found = resource === undefined ? undefined : readIntegration(resource);
  if (!found) return;
  if ('fault' in found) {
    report(badResource(found.fault), path);
    return;
  }
  const { isSdk, service, action, pattern, written } = found;
  const actions = isSdk ? undefined : integrationActions(service);
  if (isSdk ? !sdkServices.includes(service) : !actions) {
    report(unknownService(service, action, isSdk, integratedServices, sdkServices), path);
  }
  if (actions && !actions.includes(action)) {
    report(unknownIntegration(service, action, actions), path);
    return;
  }
  if (pattern === undefined || written === undefined) return;
  const name = isSdk ? `aws-sdk:${service}:${action}` : `${service}:${action}`;
  if (isSdk && pattern === 'sync') report(wrongPattern(name, written, 'waitForTaskToken'), path);
  if (actions && !hasPattern(service, action, pattern)) {
    const other = pattern === 'sync' ? 'waitForTaskToken' : 'sync';
    const isOther = hasPattern(service, action, other);
    report(wrongPattern(name, written, isOther ? other : undefined), path);
  }
};

/** Reports tasks that wait for a token but do not send it. Spec: AWS "Wait for a callback with task token" */
const missingTokens: StateRule<Task> = (task, { report }) => {
  const { Resource: resource, authored, at } = task;
  if (resource?.endsWith('.waitForTaskToken') !== true) return;
  const isJsonata = task.QueryLanguage === 'JSONata';
  const field = isJsonata ? 'Arguments' : 'Parameters';
  const sent = isJsonata
    ? [authored['Arguments']]
    : [authored['Parameters'], authored['InputPath']];
  if (sent.some((value) => holdsToken(value))) return;
  report(missingToken(field, isJsonata), [...at, 'Resource'], { about: [[...at, field]] });
};

/** `$$.Task.Token`, or something that contains it: the context object as a whole. */
const tokenPath =
  /\$\$(?:\s*$|\s*[,)]|\.\.|\.?(?:Task\b|\[\s*['"]Task|\[?\*))|\$states(?:\s*$|\.context(?!\s*\.(?!Task\b)))/;

/** Whether a value contains the token, or is known only when the workflow is deployed. */
function holdsToken(value: unknown): boolean {
  if (typeof value === 'string') return tokenPath.test(value) || /^\$\{[^}]*\}$/.test(value);
  if (Array.isArray(value)) return value.some(holdsToken);
  return isRecord(value) && Object.values(value).some(holdsToken);
}

export const integrationRules: readonly StateRule<Task>[] = [wrongIntegrations, missingTokens];
