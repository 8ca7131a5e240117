/** How a Task waits for a service. Without a pattern it waits for the response. Spec: AWS "Service integration patterns" */
export type Pattern = 'sync' | 'waitForTaskToken';

/** The actions of a service, by the patterns that they have in addition to the default. */
interface Actions {
  readonly response?: readonly string[];
  readonly sync?: readonly string[];
  readonly waitForTaskToken?: readonly string[];
}

/** The services that AWS integrates by name, as its page "Integrating optimized services" listed them in November 2026. */
const integrations: Readonly<Record<string, Actions>> = {
  apigateway: { waitForTaskToken: ['invoke'] },
  athena: {
    response: ['stopQueryExecution', 'getQueryExecution', 'getQueryResults'],
    sync: ['startQueryExecution'],
  },
  batch: { sync: ['submitJob'] },
  bedrock: {
    sync: ['createModelCustomizationJob', 'invokeModel'],
    waitForTaskToken: ['createModelCustomizationJob', 'invokeModel'],
  },
  codebuild: {
    response: [
      'stopBuild',
      'batchDeleteBuilds',
      'batchGetReports',
      'stopBuildBatch',
      'deleteBuildBatch',
    ],
    sync: ['startBuild', 'startBuildBatch', 'retryBuildBatch'],
  },
  databrew: { sync: ['startJobRun'] },
  dynamodb: { response: ['getItem', 'putItem', 'deleteItem', 'updateItem'] },
  ecs: { sync: ['runTask'], waitForTaskToken: ['runTask'] },
  eks: {
    sync: [
      'createCluster',
      'deleteCluster',
      'createFargateProfile',
      'deleteFargateProfile',
      'createNodegroup',
      'deleteNodegroup',
      'runJob',
    ],
    waitForTaskToken: ['runJob', 'call'],
  },
  elasticmapreduce: {
    response: [
      'setClusterTerminationProtection',
      'cancelStep',
      'modifyInstanceFleetByName',
      'modifyInstanceGroupByName',
    ],
    sync: ['createCluster', 'terminateCluster', 'addStep'],
  },
  'emr-containers': {
    response: ['createVirtualCluster'],
    sync: ['deleteVirtualCluster', 'startJobRun'],
  },
  'emr-serverless': {
    sync: [
      'createApplication',
      'startApplication',
      'stopApplication',
      'deleteApplication',
      'startJobRun',
      'cancelJobRun',
    ],
  },
  events: { waitForTaskToken: ['putEvents'] },
  glue: { sync: ['startJobRun'] },
  http: { response: ['invoke'] },
  lambda: { waitForTaskToken: ['invoke'] },
  mediaconvert: { sync: ['createJob'] },
  sagemaker: {
    response: ['createEndpoint', 'createEndpointConfig', 'createModel', 'updateEndpoint'],
    sync: [
      'createHyperParameterTuningJob',
      'createLabelingJob',
      'createProcessingJob',
      'createTrainingJob',
      'createTransformJob',
    ],
  },
  sns: { waitForTaskToken: ['publish'] },
  sqs: { waitForTaskToken: ['sendMessage'] },
  states: { sync: ['startExecution'], waitForTaskToken: ['startExecution'] },
};

export const integratedServices: readonly string[] = Object.keys(integrations);

/** Undefined for an unknown service, which may be newer. */
export function integrationActions(service: string): readonly string[] | undefined {
  const found = Object.hasOwn(integrations, service) ? integrations[service] : undefined;
  return found && [...new Set(Object.values(found as Record<string, string[]>).flat())];
}

/** Whether a known action can be waited for by the pattern. */
export function hasPattern(service: string, action: string, pattern: Pattern): boolean {
  return integrations[service]?.[pattern]?.includes(action) === true;
}

/** The call of a `Resource` such as `arn:aws:states:::sqs:sendMessage.waitForTaskToken`. */
export interface Integration {
  /** Whether the action is called through the SDK, and not one that AWS integrates by name. */
  readonly isSdk: boolean;
  readonly service: string;
  readonly action: string;
  readonly pattern: Pattern | undefined;
  /** The name of the pattern as it is written: `sync:2`. */
  readonly written: string | undefined;
}

const prefix = /^arn:aws[\w-]*:states:[^:]*:[^:]*:(?!activity:|stateMachine:|execution:)(.*)$/s;
const called = /^(aws-sdk:)?((?!aws-sdk:)[\w-]+):(\w+)(?:\.(.*))?$/s;
const patterns = /^(sync(?=$|:2$)|waitForTaskToken$)/;

/**
 * Reads the name of an integration. Undefined for a resource of another kind, and for a name that only the deployment
 * completes, as with `${Region}`.
 */
export function readIntegration(
  resource: string,
): Integration | { readonly fault: string } | undefined {
  const rest = /[$<{}]/.test(resource) ? undefined : prefix.exec(resource)?.[1];
  if (rest === undefined) return undefined;
  const [, sdk, service, action, written] = called.exec(rest) ?? [];
  if (service === undefined || action === undefined) {
    return { fault: 'the name of an integration is "service:action" or "aws-sdk:service:action"' };
  }
  const pattern = written === undefined ? undefined : patterns.exec(written)?.[1];
  if (written !== undefined && pattern === undefined) {
    return {
      fault: `".${written}" is not a pattern: it can be ".sync", ".sync:2" or ".waitForTaskToken"`,
    };
  }
  const isSdk = sdk !== undefined;
  if (isSdk && !/^[a-z][a-z0-9]*$/.test(service)) {
    return {
      fault: `the service "${service}" of an SDK integration is in lower case, without "-"`,
    };
  }
  if (isSdk && !/^[a-z]/.test(action)) {
    return { fault: `the action "${action}" of an SDK integration begins in lower case` };
  }
  return { isSdk, service, action, pattern: pattern as Pattern | undefined, written };
}
