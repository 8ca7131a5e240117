import { problemsOf } from '@dramaturg/compiler/format';
import { didYouMean, quotedList } from '@dramaturg/compiler/text';

const { error, warning } = problemsOf('asl');

export const longHeartbeat = error('long-heartbeat', (heartbeat: number, timeout: number) => ({
  message: `"HeartbeatSeconds" has no effect: ${heartbeat} is not less than "TimeoutSeconds", ${timeout}.`,
  hint: 'Make "HeartbeatSeconds" smaller than "TimeoutSeconds".',
}));

export const badResource = error('bad-resource', (because: string) => ({
  message: `"Resource" is not valid: ${because}.`,
}));

export const unknownIntegration = error(
  'unknown-integration',
  (service: string, action: string, known: readonly string[]) => ({
    message: `The integration of ${service} has no action "${action}".`,
    hint: () =>
      didYouMean(action, known) ??
      `Use ${quotedList(known, 'or')}, or the SDK integration "arn:aws:states:::aws-sdk:${service}:${action}".`,
  }),
);

export const unknownService = warning(
  'unknown-service',
  (
    service: string,
    action: string,
    isSdk: boolean,
    integrated: readonly string[],
    sdk: readonly string[],
  ) => ({
    message: isSdk
      ? `The SDK integrations have no service "${service}".`
      : `AWS has no optimised integration of a service "${service}".`,
    hint: () =>
      didYouMean(service, isSdk ? sdk : integrated) ??
      (!isSdk && sdk.includes(service)
        ? `Use the SDK integration "arn:aws:states:::aws-sdk:${service}:${action}".`
        : 'Check the name. A service that AWS added later works all the same.'),
  }),
);

export const wrongPattern = error(
  'wrong-pattern',
  (name: string, pattern: string, other: string | undefined) => ({
    message: `"${name}" cannot be called with ".${pattern}".`,
    hint:
      other === undefined
        ? `Remove ".${pattern}": the task waits for the response only.`
        : `Use ".${other}", or remove ".${pattern}" to wait for the response only.`,
  }),
);

export const missingToken = warning('missing-token', (field: string, isJsonata: boolean) => ({
  message: `The task waits for its token, but "${field}" does not contain it, so nobody can complete the task.`,
  hint: isJsonata
    ? 'Pass it on: "TaskToken": "{% $states.context.Task.Token %}".'
    : 'Pass it on: "TaskToken.$": "$$.Task.Token".',
}));

export const noTimeout = warning('no-timeout', (name: string, field: string) => ({
  message: `"${name}" never occurs: the task waits for its token without "${field}".`,
  hint: `Add "${field}", so that the wait ends when nobody completes the task.`,
}));

export const waitingInExpress = error('waiting-in-express', (what: string) => ({
  message: `An express workflow cannot wait for work it starts, so ${what} is not allowed.`,
  hint: `Remove ${what}, or use a standard workflow.`,
}));

export const unknownDefinition = warning(
  'unknown-definition',
  (name: string, meant: string | undefined) =>
    meant === undefined
      ? {
          message: `There is no definition "${name}" next to this file.`,
          hint: `Put its file there, such as ${name}.plan.json, or pass it to the command: --definition ${name}=FILE.`,
        }
      : {
          message: `"${name}" does not begin with a known kind of definition.`,
          hint: `Did you mean "${meant}"?`,
        },
);
