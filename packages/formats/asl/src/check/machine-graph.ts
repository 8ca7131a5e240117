import { isRecord, type Path } from '@dramaturg/compiler';
import type { Pattern } from '@dramaturg/compiler/format';
import { targetsOf } from '../authored.ts';
import type { Machine, Workflow } from '../definition/index.ts';
import { stateSchema } from '../document.ts';
import { statesOf } from '../walk.ts';

export function targetsIn({ States: states }: Machine) {
  return states.flatMap(targetsOf);
}

/** Findings about the transitions of a machine do not explain each other. */
export const explainsNothing: readonly Path[] = [];

/** The fields of a machine that decide which state leads to which, and which states end it. */
export function wiringOf(at: Path): readonly Pattern[] {
  const fields = [
    ['Type'],
    ['Next'],
    ['End'],
    ['Default'],
    ['Choices', '*', 'Next'],
    ['Catch', '*', 'Next'],
  ];
  return [[...at, 'StartAt'], ...fields.map((field) => [...at, 'States', '*', ...field])];
}

/** The fields by which a state of a type can lead to another or end its machine. */
export function exitFieldsOf(type: unknown): readonly string[] {
  const fields = stateSchema(type)?.shape ?? {};
  return ['Next', 'End', 'Choices'].filter((field) => Object.hasOwn(fields, field));
}

export function namesOf(workflow: Workflow): ReadonlySet<string> {
  return new Set(statesOf(workflow).map(({ name }) => name));
}

/** The names of a machine's states, including those that cannot be read. */
export function ownNames({ States: states, authored }: Machine): ReadonlySet<string> {
  const written = authored['States'];
  return new Set(isRecord(written) ? Object.keys(written) : states.map(({ name }) => name));
}
