import { didYouMean, problem } from '@dramaturg/compiler';

export const longHeartbeat = problem(
  'asl/long-heartbeat',
  'error',
  (heartbeat: number, timeout: number) => ({
    message: `The work may be silent for ${heartbeat} seconds, and it may take ${timeout}: the heartbeat limit has no effect.`,
    hint: 'Make "HeartbeatSeconds" smaller than "TimeoutSeconds".',
  }),
);

export const badResource = problem('asl/bad-resource', 'error', (because: string) => ({
  message: `This is not the name of a resource: ${because}.`,
}));

export const unknownIntegration = problem(
  'asl/unknown-integration',
  'error',
  (service: string, action: string, known: readonly string[]) => ({
    message: `The integration of ${service} has no action "${action}".`,
    hint: () =>
      didYouMean(action, known) ??
      `It has ${known.join(', ')}; for others, there is "arn:aws:states:::aws-sdk:${service}:${action}".`,
  }),
);

export const waitingInExpress = problem('asl/waiting-in-express', 'error', (pattern: string) => ({
  message: `An express workflow cannot wait for what it has started, so it has no "${pattern}".`,
  hint: `Leave "${pattern}" out, or compile it as a standard workflow.`,
}));

export const unknownDefinition = problem(
  'asl/unknown-definition',
  'warning',
  (name: string, meant: string | undefined) =>
    meant === undefined
      ? {
          message: `There is no definition "${name}" next to this file.`,
          hint: `Put its file there, such as ${name}.plan.json, or give it to the command that runs this: --definition ${name}=FILE.`,
        }
      : {
          message: `"${name}" does not begin with a kind of definition.`,
          hint: `Did you mean "${meant}"?`,
        },
);
