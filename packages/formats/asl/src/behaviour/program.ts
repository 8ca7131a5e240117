import { isRecord, type JsonObject, type NodeMeta, type Scope } from '@dramaturg/compiler';
import type { Dialect, QueryLanguage, State } from '../definition/index.ts';
import { type ApprovalFlow, compileApproval } from '../flow/approval.ts';
import { type Choose, compileChoice } from '../flow/choice.ts';
import type { DataFlow } from '../flow/data-flow.ts';
import { compileTopic } from '../flow/debate.ts';
import { compileFail } from '../flow/fail.ts';
import { jsonataFlow } from '../flow/jsonata-flow.ts';
import { jsonpathFlow } from '../flow/jsonpath-flow.ts';
import { compileMap } from '../flow/map.ts';
import { compileLimits } from '../flow/task.ts';
import { compileWait } from '../flow/wait.ts';
import { readState } from '../normalise/machine.ts';

/** A state with its expressions compiled: all that happens in it is worked out by calling these. */
export interface Program {
  readonly state: State;
  readonly dialect: Dialect;
  readonly flow: DataFlow;
  readonly choose?: Choose;
  readonly fail?: ReturnType<typeof compileFail>;
  readonly wait?: ReturnType<typeof compileWait>;
  readonly map?: ReturnType<typeof compileMap>;
  readonly limits?: ReturnType<typeof compileLimits>;
  readonly approval?: ApprovalFlow;
  readonly topic?: ReturnType<typeof compileTopic>;
}

/** What a node of the chart says of its state: the author's own words, and how they are read. */
export interface StateMeta extends JsonObject {
  readonly title: string;
  /** As authored, without the machines within it. */
  readonly state: JsonObject;
  readonly language: QueryLanguage;
  readonly dialect: Dialect;
}

/** Compiled once for each node of a linked chart. */
const programs = new WeakMap<NodeMeta, Program>();

export function programOf({ meta }: Pick<Scope, 'meta'>, node: string): Program {
  const found = meta.get(node)!;
  let program = programs.get(found);
  if (!program) {
    program = compileProgram(found as StateMeta);
    programs.set(found, program);
  }
  return program;
}

export function compileProgram({ title, state: authored, language, dialect }: StateMeta): Program {
  const reading = { dialect, findings: [], budget: { statesLeft: Infinity } };
  const placed = { value: isRecord(authored) ? authored : {}, at: [] };
  const state = readState(title, placed, language, reading);
  const flow =
    state.QueryLanguage === 'JSONata' ? jsonataFlow(state) : jsonpathFlow(state, dialect);
  const program = { state, dialect, flow };
  switch (state.Type) {
    case 'Choice':
      return { ...program, choose: compileChoice(state, dialect) };
    case 'Fail':
      return { ...program, fail: compileFail(state, dialect) };
    case 'Wait':
      return { ...program, wait: compileWait(state, dialect) };
    case 'Map':
      return { ...program, map: compileMap(state, dialect) };
    case 'Task':
      return { ...program, limits: compileLimits(state, dialect) };
    case 'Approval':
      return { ...program, approval: compileApproval(state, dialect) };
    case 'Debate':
      return { ...program, topic: compileTopic(state, dialect) };
    default:
      return program;
  }
}
