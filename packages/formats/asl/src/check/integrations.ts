/** The actions of services that AWS integrates by name. Spec: AWS "Optimized integrations" */
const actions: Readonly<Record<string, readonly string[]>> = {
  apigateway: ['invoke'],
  athena: ['startQueryExecution', 'stopQueryExecution', 'getQueryExecution', 'getQueryResults'],
  batch: ['submitJob'],
  bedrock: ['invokeModel', 'createModelCustomizationJob'],
  codebuild: [
    'startBuild',
    'stopBuild',
    'batchDeleteBuilds',
    'batchGetReports',
    'startBuildBatch',
    'stopBuildBatch',
    'retryBuildBatch',
    'deleteBuildBatch',
  ],
  databrew: ['startJobRun'],
  dynamodb: ['getItem', 'putItem', 'deleteItem', 'updateItem'],
  ecs: ['runTask'],
  eks: [
    'createCluster',
    'deleteCluster',
    'createFargateProfile',
    'deleteFargateProfile',
    'createNodegroup',
    'deleteNodegroup',
    'runJob',
    'call',
  ],
  elasticmapreduce: [
    'createCluster',
    'setClusterTerminationProtection',
    'terminateCluster',
    'addStep',
    'cancelStep',
    'modifyInstanceFleetByName',
    'modifyInstanceGroupByName',
  ],
  events: ['putEvents'],
  glue: ['startJobRun'],
  http: ['invoke'],
  lambda: ['invoke'],
  mediaconvert: ['createJob'],
  sagemaker: [
    'createEndpoint',
    'createEndpointConfig',
    'createHyperParameterTuningJob',
    'createLabelingJob',
    'createModel',
    'createProcessingJob',
    'createTrainingJob',
    'createTransformJob',
    'updateEndpoint',
  ],
  sns: ['publish'],
  sqs: ['sendMessage'],
  states: ['startExecution'],
};

/** Undefined for a service that is not known, which may be a newer one. */
export function integrationActions(service: string): readonly string[] | undefined {
  return Object.hasOwn(actions, service) ? actions[service] : undefined;
}
