import { type AnyFormat, type Chart, compile, type JsonObject } from '@dramaturg/compiler';

/**
 * Compiles a definition of one format.
 *
 * @throws Error with all findings when it has errors
 */
export function chartOf(definition: object, format: AnyFormat): Chart {
  const { chart, diagnostics } = compile(JSON.stringify(definition), { formats: [format] });
  if (chart) return chart;
  throw new Error(diagnostics.map(({ message }) => message).join('\n'));
}

export interface OrderOptions {
  /** The seconds between packing and sending. */
  readonly pauseSeconds: number;
  /** More fields of each task, such as `Retry`. */
  readonly task?: JsonObject;
}

/** A workflow that packs the parts of an order, two at a time, in parallel with the invoice, waits, and sends it. */
export function orderWorkflow({ pauseSeconds, task = {} }: OrderOptions): JsonObject {
  const taskOf = (resource: string) => ({ Type: 'Task', Resource: resource, ...task, End: true });
  return {
    StartAt: 'Prepare',
    States: {
      Prepare: {
        Type: 'Parallel',
        Branches: [
          {
            StartAt: 'Pack',
            States: {
              Pack: {
                Type: 'Map',
                ItemsPath: '$.parts',
                MaxConcurrency: 2,
                Iterator: { StartAt: 'PackPart', States: { PackPart: taskOf('pack') } },
                End: true,
              },
            },
          },
          { StartAt: 'Invoice', States: { Invoice: taskOf('invoice') } },
        ],
        Next: 'Pause',
      },
      Pause: { Type: 'Wait', Seconds: pauseSeconds, Next: 'Send' },
      Send: taskOf('send'),
    },
  };
}

/** The input of an order with three parts. It is so large that it is stored as a part of the record, and only once in the journal. */
export const orderInput = {
  parts: ['a', 'b', 'c'],
  catalogue: Array.from({ length: 60 }, (_, index) => `This is line ${index} of the catalogue.`),
};

/** A workflow for a parent: an agent reads, and a person gives an opinion. @param task more fields of the agent's task */
export function opinionWorkflow(task: JsonObject = {}): JsonObject {
  return {
    StartAt: 'Read',
    States: {
      Read: { Type: 'Task', Agent: 'read', ...task, Next: 'Judge' },
      Judge: { Type: 'Approval', Prompt: 'Opinion?', End: true },
    },
  };
}
