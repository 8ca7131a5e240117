import { isRecord } from '@dramaturg/compiler';
import { authoredPart, partsOf } from '../authored.ts';
import { completionOf, type Task } from '../kinds/task/definition.ts';
import {
  badResource,
  missingToken,
  noTimeout,
  unknownIntegration,
  unknownService,
  wrongPattern,
} from '../kinds/task/problems.ts';
import type { StateRule } from './rule.ts';

/**
 * The services of `arn:aws:states:::aws-sdk:<service>:<action>`: the service ids of AWS's public API models in November 2026
 * (botocore 1.43.107), in lower case, without blanks and without "Service" at the end.
 */
const current = `
  accessanalyzer account accountaccess acm acmpca agentregistry agentregistrycontrol aiops amp amplify amplifybackend
  amplifyuibuilder apigateway apigatewaymanagementapi apigatewayv2 appconfig appconfigdata appfabric appflow
  appintegrations applicationautoscaling applicationcostprofiler applicationdiscovery applicationinsights
  applicationsignals appmesh apprunner appstream appsync arcregionswitch arczonalshift artifact athena auditmanager
  autoscaling autoscalingplans b2bi backup backupgateway backupsearch batch bcmdashboards bcmdataexports
  bcmpricingcalculator bcmrecommendedactions bedrock bedrockagent bedrockagentcore bedrockagentcorecontrol
  bedrockagentruntime bedrockdataautomation bedrockdataautomationruntime bedrockruntime billing billingconductor
  braket budgets chatbot chime chimesdkidentity chimesdkmediapipelines chimesdkmeetings chimesdkmessaging
  chimesdkvoice cleanrooms cleanroomsml cloud9 cloudcontrol clouddirectory cloudformation cloudfront
  cloudfrontkeyvaluestore cloudhsm cloudhsmv2 cloudsearch cloudsearchdomain cloudtrail cloudtraildata cloudwatch
  cloudwatchevents cloudwatchlogs cloudwatchomni codeartifact codebuild codecatalyst codecommit codeconnections
  codedeploy codeguruprofiler codegurureviewer codegurusecurity codepipeline codestarconnections codestarnotifications
  cognitoidentity cognitoidentityprovider cognitosync comprehend comprehendmedical computeoptimizer
  computeoptimizerautomation config connect connectcampaigns connectcampaignsv2 connectcases connectcontactlens
  connecthealth connectparticipant controlcatalog controltower costandusagereport costexplorer costoptimizationhub
  customerprofiles databasemigration databrew dataexchange datapipeline datasync datazone dax deadline detective
  devicefarm devopsagent devopsguru directconnect directory directoryservicedata dlm docdb docdbelastic drs dsql
  dynamodb dynamodbstreams ebs ec2 ec2instanceconnect ecr ecrpublic ecs efs eks eksauth elasticache elasticbeanstalk
  elasticloadbalancing elasticloadbalancingv2 elasticsearch elementalinference emr emrcontainers emrserverless
  endusermessaging entityresolution eventbridge eventbridgev2 evs finspace finspacedata firehose fis fms forecast
  forecastquery frauddetector freetier fsx gamelift gameliftstreams geomaps geoplaces georoutes glacier
  globalaccelerator glue grafana greengrass greengrassv2 groundstation guardduty health healthlake iam iamtoolbox
  identitystore imagebuilder importexport inspector inspector2 inspectorscan interconnect internetmonitor invoicing
  iot iotdataplane iotdeviceadvisor iotfleetwise iotjobsdataplane iotmanagedintegrations iotsecuretunneling
  iotsitewise iotthingsgraph iottwinmaker iotwireless ivs ivschat ivsrealtime kafka kafkaconnect kendra kendraranking
  keyspaces keyspacesstreams kinesis kinesisanalytics kinesisanalyticsv2 kinesisvideo kinesisvideoarchivedmedia
  kinesisvideomedia kinesisvideosignaling kinesisvideowebrtcstorage kms lakeformation lambda lambdacore lambdamicrovms
  lambdaweb launchwizard lexmodelbuilding lexmodelsv2 lexruntime lexruntimev2 licensemanager
  licensemanagerlinuxsubscriptions licensemanagerusersubscriptions lightsail location lookoutequipment m2
  machinelearning macie2 mailmanager managedblockchain managedblockchainquery marketplaceagreement marketplacecatalog
  marketplacecommerceanalytics marketplacedeployment marketplacediscovery marketplaceentitlement marketplacemetering
  marketplacereporting mediaconnect mediaconvert medialive mediapackage mediapackagev2 mediapackagevod mediastore
  mediastoredata mediatailor medicalimaging memorydb mgn migrationhub migrationhubconfig migrationhuborchestrator
  migrationhubrefactorspaces migrationhubstrategy mpa mq mturk mwaa mwaaserverless neptune neptunedata neptunegraph
  networkfirewall networkflowmonitor networkmanager networkmonitor networksecuritymanager notifications
  notificationscontacts novaact oam observabilityadmin odb omics opensearch opensearchserverless organizations osis
  outposts partnercentralaccount partnercentralbenefits partnercentralchannel partnercentralrevenuemeasurement
  partnercentralselling paymentcryptography paymentcryptographydata pcaconnectorad pcaconnectorscep pcs personalize
  personalizeevents personalizeruntime pi pinpoint pinpointemail pinpointsmsvoice pinpointsmsvoicev2 pipes polly
  pricing pricingplanmanager proton qapps qbusiness qconnect quicksight ram rbin rds rdsdata redshift redshiftdata
  redshiftserverless rekognition repostspace resiliencehub resiliencehubv2 resourceexplorer2 resourcegroups
  resourcegroupstaggingapi rolesanywhere route53 route53domains route53globalresolver route53profiles
  route53recoverycluster route53recoverycontrolconfig route53recoveryreadiness route53resolver rtbfabric rum s3
  s3control s3files s3outposts s3tables s3vectors sagemaker sagemakera2iruntime sagemakeredge
  sagemakerfeaturestoreruntime sagemakergeospatial sagemakerjobruntime sagemakermetrics sagemakerruntime savingsplans
  scheduler schemas secretsmanager securityagent securityhub securityir securitylake serverlessapplicationrepository
  servicecatalog servicecatalogappregistry servicediscovery servicequotas ses sesv2 sfn shield signer signerdata
  signin simpledb simpledbv2 snowball snowdevicemanagement sns socialmessaging sqs ssm ssmcontacts ssmguiconnect
  ssmincidents ssmquicksetup ssmsap sso ssoadmin ssooidc storagegateway sts supplychain support supportapp
  supportauthz sustainability swf synthetics taxsettings textract timestreaminfluxdb timestreamquery timestreamwrite
  tnb transcribe transfer translate trustedadvisor uxc verifiedpermissions voiceid vpclattice waf wafregional wafv2
  wellarchitected wickr wisdom workdocs workmail workmailmessageflow workspaces workspacesinstances
  workspacesthinclient workspacesweb xray
`;

/** Services that AWS has ended, which older definitions call. */
const ended = `
  alexaforbusiness backupstorage codestar elasticinference elastictranscoder evidently gamesparks honeycode
  iot1clickdevices iot1clickprojects iotanalytics iotevents ioteventsdata iotfleethub iotroborunner lookoutmetrics
  lookoutvision macie mobile nimble opsworks opsworkscm panorama privatenetworks qldb qldbsession robomaker
  simspaceweaver sms worklink
`;

const sdkServices: readonly string[] = `${current}${ended}`.trim().split(/\s+/);

/** How a Task waits for a service. Without a pattern it waits for the response. Spec: AWS "Service integration patterns" */
type Pattern = 'sync' | 'waitForTaskToken';

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

const integratedServices: readonly string[] = Object.keys(integrations);

/** Undefined for an unknown service, which may be newer. */
function integrationActions(service: string): readonly string[] | undefined {
  const found = Object.hasOwn(integrations, service) ? integrations[service] : undefined;
  return found && [...new Set(Object.values(found as Record<string, string[]>).flat())];
}

/** Whether a known action can be waited for by the pattern. */
function hasPattern(service: string, action: string, pattern: Pattern): boolean {
  return integrations[service]?.[pattern]?.includes(action) === true;
}

/** The call of a `Resource` such as `arn:aws:states:::sqs:sendMessage.waitForTaskToken`. */
interface Integration {
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

/**
 * Reports timeouts that a task with a token handles and does not have. Without a limit it waits indefinitely, unlike a call, which its
 * service ends. Spec: AWS "Wait for a callback with task token"
 */
const handledTimeouts: StateRule<Task> = (task, { report }) => {
  if (completionOf(task) === 'answer') return;
  const part = authoredPart(task);
  const has = (field: string) =>
    Object.hasOwn(part.value, field) || Object.hasOwn(part.value, `${field}Path`);
  const isBeating = has('HeartbeatSeconds');
  const absent = new Map<string, string>([
    ...(isBeating ? [] : [['States.HeartbeatTimeout', 'HeartbeatSeconds'] as const]),
    ...(isBeating || has('TimeoutSeconds') ? [] : [['States.Timeout', 'TimeoutSeconds'] as const]),
  ]);
  for (const { value, at } of [...partsOf(part, 'Retry'), ...partsOf(part, 'Catch')]) {
    const names = value['ErrorEquals'];
    if (!Array.isArray(names)) continue;
    names.forEach((name: string, index) => {
      const field = absent.get(name);
      if (field !== undefined) report(noTimeout(name, field), [...at, 'ErrorEquals', index]);
    });
  }
};

export const integrationRules: readonly StateRule<Task>[] = [
  wrongIntegrations,
  missingTokens,
  handledTimeouts,
];
