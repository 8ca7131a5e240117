import { isRecord } from '@dramaturg/compiler';
import type { Program, StateMeta } from './behaviour/program.ts';
import { jsonataFlow } from './flow/jsonata-flow.ts';
import { jsonpathFlow } from './flow/jsonpath-flow.ts';
import { compileReporting, compileStateEvents } from './flow/progress.ts';
import { kindOf } from './kinds.ts';
import { readMachine, readState } from './normalise/workflow.ts';
import type { Reading } from './normalise/state.ts';

/** Reads the authored state of a node and compiles its expressions. */
export function compileProgram({
  title,
  state: authored,
  language,
  dialect,
  missing = 'fail',
  origin = [],
}: StateMeta): Program {
  const reading: Reading = {
    dialect,
    report: () => undefined,
    budget: { statesLeft: Infinity },
    readMachine: (machine, inner) => readMachine(machine, language, inner),
  };
  const placed = { value: isRecord(authored) ? authored : {}, at: origin };
  const state = readState(title, placed, language, reading);
  const flow =
    state.QueryLanguage === 'JSONata' ? jsonataFlow(state) : jsonpathFlow(state, dialect);
  const events = compileStateEvents(state);
  const reporting = compileReporting(state);
  return {
    state,
    dialect,
    missing,
    flow,
    ...(events && { events }),
    ...(reporting && { reporting }),
    ...kindOf(state.Type).compile?.(state, dialect),
  };
}
