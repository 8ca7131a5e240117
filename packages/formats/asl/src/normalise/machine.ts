import { isRecord, type Path } from '@dramaturg/compiler';
import type { QueryLanguage } from '../definition/field.ts';
import type { Machine, State } from '../definition/index.ts';
import { kindOf } from '../kinds.ts';
import type { Part } from '../authored.ts';
import { asRecord, optionalString } from './fields.ts';
import type { Reading } from './reading.ts';
import { readBase } from './state.ts';

/**
 * @param language of the states that do not name one
 * @param statesAt the path of the states
 */
export function readMachine(
  { value: fields, at }: Part,
  language: QueryLanguage,
  reading: Reading,
  statesAt: Path = [...at, 'States'],
): Machine {
  const States: State[] = [];
  for (const [name, state] of Object.entries(asRecord(fields['States']))) {
    if (!isRecord(state)) continue;
    reading.budget.statesLeft -= 1;
    if (reading.budget.statesLeft < 0) break;
    States.push(readState(name, { value: state, at: [...statesAt, name] }, language, reading));
  }
  return { StartAt: optionalString(fields['StartAt']) ?? '', States, at, authored: fields };
}

/** A state of an unknown type, which a rule reports, is read as a Pass, so that rules can check the states around it. */
export function readState(
  name: string,
  authored: Part,
  language: QueryLanguage,
  reading: Reading,
): State {
  const base = readBase(name, authored, language);
  return kindOf(authored.value['Type']).read(base, authored, reading);
}
