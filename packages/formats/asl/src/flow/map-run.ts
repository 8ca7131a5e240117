import type { Json, JsonObject } from '@dramaturg/compiler';
import type { Execution } from './execution.ts';

/** A visit of a distributed Map: its items run as executions of their own. Spec: AWS "Map Run" */
export interface MapRun {
  readonly label: string;
  /** A UUID. */
  readonly name: string;
}

/** The execution of an item or a batch. */
export interface ChildRun {
  readonly of: MapRun;
  /** The machine of the items; machines within it belong to the same execution. */
  readonly machine: string;
  readonly index: number;
  /** Milliseconds since 1970 UTC. */
  readonly startedAt: number;
  readonly input: Json;
}

const longestLabel = 40;

/** The name of a Map in the names of its runs. Spec: AWS "Distributed mode", Label */
export function labelOf(label: string | undefined, state: string): string {
  return (
    label ?? state.replaceAll(/[\s\p{Cc}?*<>{}[\]:;,\\|^~$#%&`"/]/gu, '').slice(0, longestLabel)
  );
}

/** The identity of a Map Run and of its children, as ARNs if the execution has one. */
export function mapRunNames(execution: Execution, { label, name }: MapRun) {
  const { Execution: own, StateMachine: machine } = execution.context ?? {};
  const id = textOf(own?.['Id']) ?? execution.id;
  const machineId = textOf(machine?.['Id']) ?? execution.name;
  const machineName = textOf(machine?.['Name']) ?? execution.name;
  const [, prefix, workflow] =
    /^(arn:aws[\w-]*:states:[^:]*:[^:]*):execution:([^:]+):/.exec(id) ?? [];
  const isArn = prefix !== undefined && workflow !== undefined;
  return {
    mapRun: isArn ? `${prefix}:mapRun:${workflow}/${label}:${name}` : `${id}/${label}:${name}`,
    stateMachine: { Id: `${machineId}/${label}`, Name: `${machineName}/${label}` },
    child: (index: number) => {
      const child = childName(name, index);
      return {
        Id: isArn ? `${prefix}:execution:${workflow}/${label}:${child}` : `${id}/${label}:${child}`,
        Name: child,
      };
    },
  };
}

/** Names are unique, stay the same when a child is started again after a crash, and say which item it is. */
function childName(mapRun: string, index: number): string {
  return `${mapRun}-${index}`;
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** `$$.Execution` and `$$.StateMachine` of a child: its own. Spec: AWS "Map Run", child workflow executions */
export function childContext(
  execution: Execution,
  { of, index, startedAt, input }: ChildRun,
): { readonly Execution: JsonObject; readonly StateMachine: JsonObject } {
  const { stateMachine, child } = mapRunNames(execution, of);
  const StartTime = new Date(startedAt).toISOString();
  return { Execution: { ...child(index), Input: input, StartTime }, StateMachine: stateMachine };
}
