import { isRecord } from '@dramaturg/compiler';
import type { QueryLanguage } from '../definition/field.ts';
import type { Machine, State } from '../definition/index.ts';
import { isStateType } from '../definition/machine.ts';
import { readApproval } from './approval.ts';
import { readCheckpoint, readDebate, readSubworkflow } from './debate.ts';
import { readChoice } from './choice.ts';
import { readBase } from './state.ts';
import { type Placed, type Reading, record, textOf } from './fields.ts';
import { readInclude } from './include.ts';
import { readMap } from './map.ts';
import { readFail, readSucceed } from './fail.ts';
import { readParallel } from './parallel.ts';
import { readPass } from './pass.ts';
import { readTask } from './task.ts';
import { readWait } from './wait.ts';

/** @param language what the states speak that do not say */
export function readMachine(
  { value: fields, at }: Placed,
  language: QueryLanguage,
  reading: Reading,
): Machine {
  const States: State[] = [];
  for (const [name, state] of Object.entries(record(fields['States']))) {
    if (!isRecord(state)) continue;
    reading.budget.statesLeft -= 1;
    if (reading.budget.statesLeft < 0) break;
    States.push(readState(name, { value: state, at: [...at, 'States', name] }, language, reading));
  }
  return { StartAt: textOf(fields['StartAt']) ?? '', States, at, authored: fields };
}

/** A state of an unknown type, which a rule reports, is read as a Pass, so that those around it can be judged. */
export function readState(
  name: string,
  placed: Placed,
  language: QueryLanguage,
  reading: Reading,
): State {
  const base = readBase(name, placed, language);
  const nested = (machine: Placed) => readMachine(machine, language, reading);
  const type = placed.value['Type'];
  switch (isStateType(type) ? type : 'Pass') {
    case 'Task':
      return readTask(base, placed, reading);
    case 'Choice':
      return readChoice(base, placed, reading);
    case 'Map':
      return readMap(base, placed, nested, reading);
    case 'Parallel':
      return readParallel(base, placed, nested, reading);
    case 'Pass':
      return readPass(base, placed, reading);
    case 'Wait':
      return readWait(base, placed);
    case 'Succeed':
      return readSucceed(base);
    case 'Fail':
      return readFail(base, placed);
    case 'Approval':
      return readApproval(base, placed, reading);
    case 'Debate':
      return readDebate(base, placed, reading);
    case 'Checkpoint':
      return readCheckpoint(base, placed);
    case 'Include':
      return readInclude(
        base,
        placed,
        (machine, own) => readMachine(machine, language, own),
        reading,
      );
    case 'Workflow':
      return readSubworkflow(base, placed, reading);
  }
}
