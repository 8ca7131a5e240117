import { didYouMean, problem, quotedList } from '@dramaturg/compiler';

export const longHeartbeat = problem(
  'asl/long-heartbeat',
  'error',
  (heartbeat: number, timeout: number) => ({
    message: `"HeartbeatSeconds" has no effect: ${heartbeat} is not less than "TimeoutSeconds", ${timeout}.`,
    hint: 'Make "HeartbeatSeconds" smaller than "TimeoutSeconds".',
  }),
);

export const badResource = problem('asl/bad-resource', 'error', (because: string) => ({
  message: `"Resource" is not valid: ${because}.`,
}));

export const unknownIntegration = problem(
  'asl/unknown-integration',
  'error',
  (service: string, action: string, known: readonly string[]) => ({
    message: `The integration of ${service} has no action "${action}".`,
    hint: () =>
      didYouMean(action, known) ??
      `Use ${quotedList(known, 'or')}, or the SDK integration "arn:aws:states:::aws-sdk:${service}:${action}".`,
  }),
);

export const waitingInExpress = problem('asl/waiting-in-express', 'error', (pattern: string) => ({
  message: `An express workflow cannot wait for work it starts, so "${pattern}" is not allowed.`,
  hint: `Remove "${pattern}", or compile it as a standard workflow.`,
}));

export const unknownDefinition = problem(
  'asl/unknown-definition',
  'warning',
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
