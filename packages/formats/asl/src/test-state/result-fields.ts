/** The JSON type of a field; `json` may be anything, such as a date. */
export type FieldType = 'text' | 'number' | 'list' | 'object' | 'json';

/** The fields of a result, and those that the service always gives. */
export interface ResultFields {
  readonly fields: Readonly<Record<string, FieldType>>;
  readonly required: readonly string[];
}

/** A run of another state machine, for which `.sync` asks until it has ended. */
const execution: ResultFields = {
  fields: {
    ExecutionArn: 'text',
    StateMachineArn: 'text',
    Name: 'text',
    Status: 'text',
    StartDate: 'json',
    StopDate: 'json',
    // Strings with JSON after `.sync`, JSON after `.sync:2`.
    Input: 'json',
    Output: 'json',
    Error: 'text',
    Cause: 'text',
    RedriveCount: 'number',
  },
  required: ['ExecutionArn', 'StateMachineArn', 'Status', 'StartDate'],
};

const writtenItem = optional({
  Attributes: 'object',
  ConsumedCapacity: 'object',
  ItemCollectionMetrics: 'object',
});
const build = optional({ Build: 'object' });
const buildBatch = optional({ BuildBatch: 'object' });

/**
 * What the actions of AWS's services return, for `fieldValidationMode`. Actions that are not listed are not checked.
 * Spec: the API references of the services, of November 2026
 */
const results: Readonly<Record<string, ResultFields>> = {
  'athena:startQueryExecution': optional({ QueryExecutionId: 'text' }),
  'athena:getQueryExecution': optional({ QueryExecution: 'object' }),
  'athena:getQueryResults': optional({
    UpdateCount: 'number',
    ResultSet: 'object',
    NextToken: 'text',
  }),
  'batch:submitJob': {
    fields: { JobArn: 'text', JobName: 'text', JobId: 'text' },
    required: ['JobName', 'JobId'],
  },
  'bedrock:invokeModel': {
    fields: { Body: 'json', ContentType: 'text' },
    required: ['Body', 'ContentType'],
  },
  'codebuild:startBuild': build,
  'codebuild:stopBuild': build,
  'codebuild:startBuildBatch': buildBatch,
  'codebuild:retryBuildBatch': buildBatch,
  'codebuild:batchDeleteBuilds': optional({ BuildsDeleted: 'list', BuildsNotDeleted: 'list' }),
  'codebuild:batchGetReports': optional({ Reports: 'list', ReportsNotFound: 'list' }),
  'databrew:startJobRun': always({ RunId: 'text' }),
  'dynamodb:getItem': optional({ Item: 'object', ConsumedCapacity: 'object' }),
  'dynamodb:putItem': writtenItem,
  'dynamodb:updateItem': writtenItem,
  'dynamodb:deleteItem': writtenItem,
  'ecs:runTask': optional({ Tasks: 'list', Failures: 'list' }),
  'events:putEvents': optional({ FailedEntryCount: 'number', Entries: 'list' }),
  'glue:startJobRun': optional({ JobRunId: 'text' }),
  'lambda:invoke': optional({
    StatusCode: 'number',
    FunctionError: 'text',
    LogResult: 'text',
    ExecutedVersion: 'text',
    Payload: 'json',
  }),
  'mediaconvert:createJob': optional({ Job: 'object' }),
  'sagemaker:createEndpoint': always({ EndpointArn: 'text' }),
  'sagemaker:createEndpointConfig': always({ EndpointConfigArn: 'text' }),
  'sagemaker:createHyperParameterTuningJob': always({ HyperParameterTuningJobArn: 'text' }),
  'sagemaker:createLabelingJob': always({ LabelingJobArn: 'text' }),
  'sagemaker:createModel': always({ ModelArn: 'text' }),
  'sagemaker:createProcessingJob': always({ ProcessingJobArn: 'text' }),
  'sagemaker:createTrainingJob': always({ TrainingJobArn: 'text' }),
  'sagemaker:createTransformJob': always({ TransformJobArn: 'text' }),
  'sagemaker:updateEndpoint': always({ EndpointArn: 'text' }),
  'sns:publish': optional({ MessageId: 'text', SequenceNumber: 'text' }),
  'sqs:sendMessage': optional({
    MessageId: 'text',
    MD5OfMessageBody: 'text',
    MD5OfMessageAttributes: 'text',
    MD5OfMessageSystemAttributes: 'text',
    SequenceNumber: 'text',
  }),
  'states:startExecution': always({ ExecutionArn: 'text', StartDate: 'json' }),
  'states:startExecution.sync': execution,
};

function optional(fields: ResultFields['fields']): ResultFields {
  return { fields, required: [] };
}

function always(fields: ResultFields['fields']): ResultFields {
  return { fields, required: Object.keys(fields) };
}

/** The name of an integration without the version of its pattern: `states:startExecution.sync` for `.sync:2`. */
export function integrationOf(resource: unknown): string | undefined {
  const pattern = /^arn:[^:]*:states:[^:]*:[^:]*:([\w-]+:\w+(?:\.\w+)?)(?::\d)?$/;
  return typeof resource === 'string' ? pattern.exec(resource)?.[1] : undefined;
}

/** @returns undefined for an integration whose result is not checked */
export function resultFieldsOf(integration: string): ResultFields | undefined {
  return Object.hasOwn(results, integration) ? results[integration] : undefined;
}
