import { compile, type Json, type JsonObject, type Ports, providePorts } from 'dramaturg';
import { createActor, toPromise } from 'xstate';
import { type Contender, peer } from '../measure.ts';

/** Answers a call of a resource. */
export type Call = (resource: string, input: Json) => Json;

/** Compiles a definition of Amazon with our compiler, and runs it from the start for each call. */
export function ours(definition: JsonObject, input: Json, call: Call): Contender {
  return runOf(definition, 'amazon', input, {
    runAgent: async ({ agent, input: taskInput }) => ({ result: call(agent, taskInput) }),
  });
}

/** Compiles a workflow, and runs it from the start for each call. */
export function runOf(
  definition: JsonObject,
  dialect: string,
  input: Json,
  ports: Partial<Ports>,
): Contender {
  const { machine, diagnostics } = compile(JSON.stringify(definition), {
    format: 'asl',
    options: { dialect },
  });
  if (!machine) throw new Error(diagnostics.map(({ message }) => message).join(' '));
  const provided = providePorts(machine, ports);
  return async () => {
    const actor = createActor(provided, { input: { input } }).start();
    const result = (await toPromise(actor)) as { readonly output: Json };
    return result.output;
  };
}

interface AwsLocalStepFunctions {
  readonly StateMachine: new (definition: JsonObject) => {
    run: (input: Json, options: object) => { readonly result: Promise<Json> };
  };
}

/** Runs the same definition in aws-local-stepfunctions. The functions replace its calls of AWS Lambda. */
export function awsLocal(definition: JsonObject, input: Json, call: Call): Contender {
  const { StateMachine } = peer('aws-local-stepfunctions') as AwsLocalStepFunctions;
  const machine = new StateMachine(definition);
  const taskResourceLocalHandlers = Object.fromEntries(
    tasksIn(definition).map(([name, resource]) => [
      name,
      async (taskInput: Json) => call(resource, taskInput),
    ]),
  );
  return () => machine.run(input, { overrides: { taskResourceLocalHandlers } }).result;
}

function tasksIn(machine: JsonObject): readonly (readonly [name: string, resource: string])[] {
  const states = Object.entries(machine['States'] as Record<string, JsonObject>);
  return states.flatMap(([name, state]) => {
    if (state['Type'] === 'Task') return [[name, state['Resource'] as string] as const];
    const inner = state['ItemProcessor'] as JsonObject | undefined;
    return inner ? tasksIn(inner) : [];
  });
}

function mapOf(state: JsonObject, more: JsonObject = {}) {
  return {
    StartAt: 'Each',
    States: {
      Each: {
        Type: 'Map',
        ItemsPath: '$.items',
        ItemProcessor: { StartAt: 'Do', States: { Do: { ...state, End: true } } },
        ...more,
        End: true,
      },
    },
  };
}

const doubling = {
  Type: 'Task',
  Resource: 'arn:aws:lambda:eu-west-1:123456789012:function:Double',
};

/** A Map with a trivial task. */
export const mapOfTask = mapOf(doubling);

/** `mapOfTask` in the agent dialect, which allows large data. */
export const largeMapOfTask = mapOf(doubling, { MaxConcurrency: 40 });

/** A Map without calls. */
export const mapOfPass = mapOf({ Type: 'Pass' });

export function numbersTo(count: number): { readonly items: readonly number[] } {
  return { items: Array.from({ length: count }, (_, index) => index) };
}

export function double(input: Json): Json {
  return (input as number) * 2;
}
