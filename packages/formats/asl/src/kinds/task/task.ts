import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import type { ChartNode, ChartTransition } from '@dramaturg/compiler/chart';
import { authoredPart, partOf } from '../../authored.ts';
import type { stateBehaviour } from '../../behaviour/state.ts';
import { sourceValues, type StateWays, worked } from '../../check/flow/language-flow.ts';
import { atMostOne, exactlyOne, type StateRule } from '../../check/rule.ts';
import { integrationRules } from '../../check/integrations.ts';
import { toText } from '../../data/states-error.ts';
import { missingField } from '../../diagnostics/fields.ts';
import { type NodeContext, StateNodes } from '../../lower/nodes.ts';
import { references } from '../../behaviour/part.ts';
import { agentTaskNode, hasBlocks, listening, timeLimit } from '../../lower/task-phases.ts';
import { mockedWork, type StateTester } from '../../test-state/tester.ts';
import type { Kind } from '../kind.ts';
import { taskBehaviour } from './behaviour.ts';
import { completionOf, readTask, type Task, taskDefinition } from './definition.ts';
import { compileTask, type TaskProgram } from './program.ts';
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

const taskWays: StateWays<Task> = {
  enter(visit) {
    const { state, sight, flow } = visit;
    const selected = flow.select();
    flow.prepare(selected);
    sourceValues(state.TimeoutSeconds, selected, sight);
    sourceValues(state.HeartbeatSeconds, selected, sight);
    return worked(visit, 'any');
  },
};

const testTask: StateTester<TaskProgram> = (program, run, { mock }) => {
  const { flow, state, timeLimits } = program;
  const isHttp = (state as Task).Resource?.endsWith(':states:::http:invoke');
  const selected = flow.select(run);
  timeLimits(run, selected);
  const input = flow.prepare(run, selected);
  if (isHttp) run.inspect?.('request', httpRequest(input));
  const result = mock?.result;
  if (result !== undefined) run.inspect?.('result', result);
  if (result !== undefined && isHttp) run.inspect?.('response', httpResponse(result));
  return mockedWork(program, run, mock);
};

/**
 * The request that an HTTP Task would send, without the additions of its connection. Spec: AWS "TestState",
 * InspectionDataRequest; AWS "Call HTTPS APIs"
 *
 * @param input the arguments of the Task
 */
function httpRequest(input: Json): JsonObject {
  if (!isRecord(input)) return {};
  const { ApiEndpoint: endpoint, Method: method, Headers: headers, RequestBody: body } = input;
  const url =
    typeof endpoint === 'string' ? endpoint + queryOf(input['QueryParameters']) : undefined;
  return {
    ...(url !== undefined && { protocol: url.split(':', 1)[0]!, url }),
    ...(typeof method === 'string' && { method }),
    ...(isRecord(headers) && { headers: headerText(headers) }),
    ...(body !== undefined && { body: toText(body) }),
  };
}

/** The response that corresponds to the result of an HTTP Task. Spec: AWS "TestState", InspectionDataResponse */
function httpResponse(result: Json): JsonObject {
  if (!isRecord(result)) return {};
  const { StatusCode: code, StatusText: text, Headers: headers, ResponseBody: body } = result;
  return {
    protocol: 'https',
    ...(code !== undefined && { statusCode: toText(code) }),
    ...(text !== undefined && { statusMessage: toText(text) }),
    ...(isRecord(headers) && { headers: headerText(headers) }),
    ...(body !== undefined && { body: toText(body) }),
  };
}

function queryOf(parameters: Json | undefined): string {
  if (!isRecord(parameters)) return '';
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    [value].flat().map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(toText(one))}`),
  );
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}

/** `[Accept: text/plain, Range: bytes=0-99]` */
function headerText(headers: JsonObject): string {
  const written = Object.entries(headers).map(
    ([name, value]) =>
      `${name}: ${[value]
        .flat()
        .map((one) => toText(one))
        .join(', ')}`,
  );
  return `[${written.join(', ')}]`;
}

const refer = references<typeof taskBehaviour & typeof stateBehaviour>();

function taskNode(state: Task, id: string, context: NodeContext): ChartNode {
  if (hasBlocks(state, context)) return agentTaskNode(state, id, context);
  const nodes = new StateNodes(state, id, context);
  return nodes.whole({
    prepare: refer.action('prepareTask', nodes.params),
    working: { working: workingNode(state, nodes) },
    finish: refer.action('finishTask', nodes.params),
  });
}

/** The call, and the timers that limit it. */
function workingNode(state: Task, nodes: StateNodes): ChartNode {
  const { params } = nodes;
  const completion = completionOf(state);
  const done: ChartTransition = { target: nodes.to('finishing') };
  const call = nodes.invoke({
    name: 'work',
    src: 'runAgent',
    input: refer.input('taskCall', params),
    // The call only passes the token on. The holder of the token completes the task.
    done: completion === 'token' ? [] : [done],
  });
  const late = refer.action('timeOut', params);
  const timeout = timeLimit(nodes, 'timeout', refer.input('timeoutTimer', params), late);
  return {
    id: `${nodes.id}:working`,
    invoke: [
      ...(completion === 'activity' ? [] : [call]),
      ...(state.TimeoutSeconds ? [timeout] : []),
    ],
    ...(completion !== 'answer' && { on: tokenEvents(done, nodes) }),
    ...(state.HeartbeatSeconds && listening(nodes)),
  };
}

function tokenEvents(done: ChartTransition, nodes: StateNodes) {
  const { params } = nodes;
  const guard = refer.guard('hasMatchingToken', params);
  const accept = refer.action('acceptToken', params);
  return {
    'task.succeeded': [{ ...done, actions: [accept], guard }],
    // A task without "HeartbeatSeconds" does not need heartbeats, and takes them.
    'task.heartbeat': [{ actions: [accept], guard }],
    'task.failed': [{ ...nodes.failing(accept, refer.action('tokenFailed', params)), guard }],
  };
}

export const taskKind: Kind<Task, TaskProgram> = {
  definition: taskDefinition,
  read: readTask,
  rules: [
    tasksWithoutWorker,
    repeatedLimits,
    longHeartbeats,
    badResources,
    ...integrationRules,
    credentialsWithoutRole,
  ],
  ways: taskWays,
  node: taskNode,
  compile: compileTask,
  behaviour: taskBehaviour,
  test: testTask,
};
