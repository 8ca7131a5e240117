import { isRecord, type Json, type JsonObject, type Usage as PaidUsage } from '@dramaturg/compiler';
import { type CountedCost, type NodePlace, usageIn, type World } from '@dramaturg/compiler/machine';
import type { Work } from '../data/work.ts';
import type { Dialect, MissingPaths } from '../definition/machine.ts';

/** Tokens and cost of one or more calls. */
export interface Usage {
  readonly tokens: number;
  /** In the currency of the agents. */
  readonly cost: number;
}

/** The usage of one call. */
export interface CallUsage extends Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly model?: string;
  /** The part of the cost that a nested definition has counted, by the names of accounts. */
  readonly counted?: CountedCost;
  /** Whether the port has counted, so that the host emits the event. */
  readonly isReportedByHost: boolean;
}

/** The usage of all calls of one visit. */
export type VisitUsage = Omit<CallUsage, 'isReportedByHost' | 'model' | 'counted'>;

/** The result of an agent's call, or of a person or worker in its place. */
export interface Answer {
  readonly result: Json;
  readonly usage?: PaidUsage;
}

/** The count of the port; without one, `_tokens`, `_cost` and `_usage` of the agent's result. Agent 7 §Metering */
export function usageOfCall({ result, usage }: Answer): CallUsage | undefined {
  if (usage) return paid(usage);
  if (!isRecord(result)) return undefined;
  const { _tokens: tokens, _cost: cost, _usage: parts, _model: model } = result;
  const { input, output } = isRecord(parts) ? parts : {};
  const [inputTokens, outputTokens] = [amountOf(input), amountOf(output)];
  if (![tokens, cost, input, output].some(isAmount)) return undefined;
  return {
    tokens: isAmount(tokens) ? tokens : inputTokens + outputTokens,
    cost: amountOf(cost),
    inputTokens,
    outputTokens,
    ...(typeof model === 'string' && { model }),
    isReportedByHost: false,
  };
}

/** The usage of a failed call, if its port has counted it. */
export function usageOfFailedCall(error: unknown): CallUsage | undefined {
  const usage = usageIn({ error });
  return usage && paid(usage);
}

function paid({ inputTokens, outputTokens, model, counted, cost = 0 }: PaidUsage): CallUsage {
  return {
    tokens: inputTokens + outputTokens,
    cost,
    inputTokens,
    outputTokens,
    ...(model !== undefined && { model }),
    ...(counted && { counted }),
    isReportedByHost: true,
  };
}

function amountOf(value: unknown): number {
  return isAmount(value) ? value : 0;
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

/** The sum; undefined without any usage. */
export function sumOf(usages: Iterable<Usage | undefined>): Usage | undefined {
  let sum: Usage | undefined;
  for (const usage of usages) {
    if (usage) {
      sum = { tokens: (sum?.tokens ?? 0) + usage.tokens, cost: (sum?.cost ?? 0) + usage.cost };
    }
  }
  return sum;
}

/** The identity of a run; the same for all of its branches and items. */
export interface Execution {
  readonly id: string;
  readonly name: string;
  /** Milliseconds since 1970 UTC. */
  readonly startedAt: number;
  readonly input: Json;
  /** More fields of `$$.Execution` and `$$.StateMachine`, from the input of the workflow. */
  readonly context?: { readonly Execution?: JsonObject; readonly StateMachine?: JsonObject };
}

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
function childContext(
  execution: Execution,
  { of, index, startedAt, input }: ChildRun,
): { readonly Execution: JsonObject; readonly StateMachine: JsonObject } {
  const { stateMachine, child } = mapRunNames(execution, of);
  const StartTime = new Date(startedAt).toISOString();
  return { Execution: { ...child(index), Input: input, StartTime }, StateMachine: stateMachine };
}

/** The item or batch of a Map that a machine works on. */
export interface Item {
  readonly index: number;
  readonly value: Json;
  /** The name of the field, when the items are the fields of an object. */
  readonly key?: string | undefined;
  /** The origin of an item of a distributed Map: `STATE_DATA`, `S3://bucket/key`, or `S3://bucket` for a list. */
  readonly source?: string | undefined;
}

/** The part of a machine's progress that the context object shows. */
interface VisibleVisit {
  readonly state: string;
  /** Milliseconds since 1970 UTC. */
  readonly enteredAt: number;
  /** Undefined in a state that cannot be retried. */
  readonly retryCount: number | undefined;
  readonly token?: string | undefined;
}

/** The value of `$$` and `$states.context`. Spec: Agent 3 §Context object, AWS "Context object" */
export function contextObject(
  execution: Execution,
  visit: VisibleVisit,
  item: Item | undefined,
  usage: Usage | undefined,
  child?: ChildRun,
): JsonObject {
  const own = child && childContext(execution, child);
  return {
    Execution: {
      Id: execution.id,
      Input: execution.input,
      Name: execution.name,
      StartTime: timeOf(execution.startedAt),
      RedriveCount: 0,
      ...(usage && { Usage: { ...usage } }),
      ...execution.context?.Execution,
      ...own?.Execution,
    },
    StateMachine: {
      Id: execution.name,
      Name: execution.name,
      ...execution.context?.StateMachine,
      ...own?.StateMachine,
    },
    State: {
      Name: visit.state,
      EnteredTime: timeOf(visit.enteredAt),
      ...(visit.retryCount !== undefined && { RetryCount: visit.retryCount }),
    },
    ...(item && { Map: { Item: contextItem(item) } }),
    ...(visit.token !== undefined && { Task: { Token: visit.token } }),
  };
}

/** The value of `$$.Map.Item`. */
export function contextItem({ index, value, key, source }: Item): JsonObject {
  return {
    Index: index,
    ...(key !== undefined && { Key: key }),
    Value: value,
    ...(source !== undefined && { Source: source }),
  };
}

function timeOf(moment: number): string {
  return new Date(moment).toISOString();
}

/** The inputs of every expression during one visit of a state. */
export interface Run {
  readonly dialect: Dialect;
  readonly missing: MissingPaths;
  /** The input of the state. */
  readonly input: Json;
  readonly variables: Variables;
  /** Creates `$$` or `$states.context` on demand, with the item of a Map when one is given. */
  readonly context: (item?: Item) => JsonObject;
  readonly world: World;
  /** Counts the work of all expressions. */
  readonly work: Work;
  /** Receives the data between two fields. Only `testState` sets it. */
  readonly inspect?: (stage: Stage, value: Json) => void;
}

export type Variables = Readonly<Record<string, Json>>;

/** AWS's names for the data between two fields and for the settings of a Map. Spec: AWS "TestState", InspectionData */
type Stage =
  | 'afterInputPath'
  | 'afterParameters'
  | 'afterArguments'
  | 'afterItemsPath'
  | 'afterItemsPointer'
  | 'afterItemSelector'
  | 'afterItemBatcher'
  | 'maxConcurrency'
  | 'toleratedFailureCount'
  | 'toleratedFailurePercentage'
  | 'request'
  | 'result'
  | 'response'
  | 'afterResultSelector'
  | 'afterResultPath';

/** The result of a state. */
export interface Outcome {
  readonly output: Json;
  readonly variables: Variables;
  /** The variables that `Assign` of this state has set. */
  readonly assigned?: Variables;
}

/** An error as `Catch` stores it. Both are null when the person or service that failed a task gave none. */
export interface Failure {
  readonly error: string | null;
  readonly cause: string | null;
  /** A missed heartbeat: retriers and catchers may also name it `States.HeartbeatTimeout`. */
  readonly isSilence?: true;
  /** The state that has failed, for people. */
  readonly at?: NodePlace;
}
