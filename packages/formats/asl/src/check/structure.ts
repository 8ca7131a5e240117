import { isRecord, type Path } from '@dramaturg/compiler';
import { reachableFrom, rootsOf } from '@dramaturg/compiler/chart';
import type { Pattern } from '@dramaturg/compiler/format';
import { nearestName } from '@dramaturg/compiler/text';
import { targetsOf } from '../authored.ts';
import { hasHole, isHole } from '../definition/field.ts';
import type { Machine, State, Workflow } from '../definition/machine.ts';
import {
  agentType,
  duplicateState,
  emptyName,
  longName,
  nextAndEnd,
  noNext,
  noStates,
  noTerminalState,
  unknownStart,
  unknownTarget,
  unknownType,
  unreachableState,
  unsupportedField,
} from '../diagnostics/fields.ts';
import { stateSchema } from '../document.ts';
import { isAgentType, isStateType, stateTypes } from '../kinds.ts';
import { machinesOf, statesOf } from '../walk.ts';
import type { WorkflowRule } from './rule.ts';

export function targetsIn({ States: states }: Machine) {
  return states.flatMap(targetsOf);
}

/** Findings about the transitions of a machine do not explain each other. */
const explainsNothing: readonly Path[] = [];

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
function exitFieldsOf(type: unknown): readonly string[] {
  const fields = stateSchema(type)?.shape ?? {};
  return ['Next', 'End', 'Choices'].filter((field) => Object.hasOwn(fields, field));
}

function namesOf(workflow: Workflow): ReadonlySet<string> {
  return new Set(statesOf(workflow).map(({ name }) => name));
}

/** The names of a machine's states, including those that cannot be read. */
function ownNames({ States: states, authored }: Machine): ReadonlySet<string> {
  const written = authored['States'];
  return new Set(isRecord(written) ? Object.keys(written) : states.map(({ name }) => name));
}

/** Reports machines without states. Spec: Agent 1, states-language.net/spec.html#toplevelfields */
export const machinesWithoutStates: WorkflowRule = ({ definition, report }) => {
  for (const { authored, at } of machinesOf(definition)) {
    const states = authored['States'];
    if (isRecord(states) && Object.keys(states).length === 0) report(noStates(), [...at, 'States']);
  }
};

/** Reports state types that the dialect does not have. Spec: Agent 2, states-language.net/spec.html#statetypes */
export const unknownTypes: WorkflowRule = ({ definition, options, report }) => {
  const isAmazon = definition.dialect === 'amazon';
  const known = stateTypes.filter((type) => !isAmazon || !isAgentType(type));
  // A state of a type that only agents have would make the workflow one of agents.
  const suggested = options.dialect === 'amazon' ? known : stateTypes;
  for (const { authored, at } of statesOf(definition)) {
    const type = authored['Type'];
    if (type === undefined) {
      const field = Object.keys(authored).find((key) => nearestName(key, ['Type']) !== undefined);
      if (field === undefined) continue; // The shape check asks for it.
      const misspelt = [...at, 'Type'];
      report(unsupportedField(field, 'A state', 'Did you mean "Type"?'), [...at, field], {
        at: 'key',
        misspelt,
      });
    }
    if (typeof type !== 'string') continue;
    if (!isStateType(type)) report(unknownType(type, suggested, known), [...at, 'Type']);
    else if (isAmazon && isAgentType(type)) report(agentType(type), [...at, 'Type']);
  }
};

/** The most related places listed for one name. */
const relatedMax = 5;

/** Reports a `StartAt` that names no state of its machine. Spec: Agent 1, states-language.net/spec.html#toplevelfields */
export const unknownStarts: WorkflowRule = ({ definition, report }) => {
  const everywhere = namesOf(definition);
  for (const machine of machinesOf(definition)) {
    const { StartAt: start, at } = machine;
    const known = ownNames(machine);
    if (typeof machine.authored['StartAt'] !== 'string' || known.has(start)) continue;
    if (known.size === 0) continue; // A machine without states is reported as such.
    if (definition.isTemplate && hasHole(start)) continue;
    const related = targetsIn(machine)
      .filter(({ target }) => target === start)
      .slice(0, relatedMax)
      .map(({ path }) => ({ path, message: 'This names it, too.' }));
    report(unknownStart(start, [...known], everywhere.has(start)), [...at, 'StartAt'], { related });
  }
};

/** Reports transitions to states that their own machine does not have. Spec: states-language.net/spec.html#transition */
export const unknownTargets: WorkflowRule = ({ definition, report }) => {
  const everywhere = namesOf(definition);
  for (const machine of machinesOf(definition)) {
    // The states around these may have it.
    if (definition.isBare && machine.at.length === 0) continue;
    const known = ownNames(machine);
    const names = [...known];
    const { StartAt: start, at } = machine;
    for (const { target, path } of targetsIn(machine)) {
      // Other rules report the first state, and a hole outside of a template.
      if (known.has(target) || target === start || isHole(target)) continue;
      if (definition.isTemplate && hasHole(target)) continue;
      const topic = JSON.stringify([at, target]);
      report(unknownTarget(target, names, everywhere.has(target)), path, { topic });
    }
  }
};

/** Reports states with both `Next` and `End`, or with neither. Spec: Agent 2, states-language.net/spec.html#transition */
export const wrongExits: WorkflowRule = ({ definition, report }) => {
  for (const state of statesOf(definition)) {
    const { name, authored, at } = state;
    const ways = exitFieldsOf(authored['Type']);
    if (!ways.includes('Next') && isStateType(authored['Type'])) continue;
    const leads = Object.hasOwn(authored, 'Next');
    if (leads && authored['End'] === true) {
      report(nextAndEnd(name), [...at, 'End'], { at: 'key' });
    } else if (!leads && authored['End'] !== true && isStateType(authored['Type'])) {
      if (ways.includes('Choices') && Object.hasOwn(authored, 'Choices')) continue;
      if (definition.isTemplate && Object.hasOwn(authored, 'Output')) continue;
      const about = ways.map((field) => [...at, field]);
      report(noNext(name, authored['End'] === false), at, { at: 'key', about, follows: about });
    }
  }
};

/** Reports machines in which no state is an end. Spec: states-language.net/spec.html#terminal-state */
export const machinesWithoutEnd: WorkflowRule = ({ definition, report }) => {
  for (const { States: states, at } of machinesOf(definition)) {
    if (definition.isBare && at.length === 0) continue;
    if (states.length === 0 || states.some((state) => isEnd(state, definition))) continue;
    report(noTerminalState(), [...at, 'States'], {
      at: 'key',
      about: explainsNothing,
      follows: wiringOf(at),
    });
  }
};

/** A state of an unknown type may be an end. In a template a bare `Output` ends it. */
function isEnd({ authored }: State, { isTemplate }: Workflow): boolean {
  if (exitFieldsOf(authored['Type']).length === 0) return true;
  return authored['End'] === true || (isTemplate && Object.hasOwn(authored, 'Output'));
}

/** Reports states that cannot be entered. Spec: AWS refuses them as `MISSING_TRANSITION_TARGET` */
export const unreachableStates: WorkflowRule = ({ definition, report }) => {
  for (const machine of machinesOf(definition)) {
    if (!ownNames(machine).has(machine.StartAt)) continue;
    const targets = new Map(
      machine.States.map((state) => [state.name, targetsOf(state).map(({ target }) => target)]),
    );
    if (definition.isTemplate && [...targets.values()].flat().some(hasHole)) continue;
    const next = (name: string) => targets.get(name) ?? [];
    const entered = reachableFrom([machine.StartAt], next);
    const left = machine.States.filter(({ name }) => !entered.has(name));
    // A state that only such a state leads to follows from it.
    const roots = new Set(
      rootsOf(
        left.map(({ name }) => name),
        next,
      ),
    );
    for (const { name, at } of left) {
      if (roots.has(name))
        report(unreachableState(name), at, {
          at: 'key',
          about: explainsNothing,
          follows: wiringOf(machine.at),
        });
    }
  }
};

/** Amazon's limit. Spec: states-language.net/spec.html#states-fields */
const nameLengthMax = 80;

/**
 * Reports empty names; for Amazon also long names and names used twice. In Agent State Language two machines may use
 * the same name. Spec: states-language.net/spec.html#states-fields, Agent 1
 */
export const wrongStateNames: WorkflowRule = ({ definition, report }) => {
  const first = new Map<string, Path>();
  for (const { name, at } of statesOf(definition)) {
    if (name === '') report(emptyName(), at, { at: 'key' });
    if (definition.dialect === 'agent') continue;
    if (name.length > nameLengthMax)
      report(longName(name.length, nameLengthMax), at, { at: 'key' });
    const earlier = first.get(name);
    if (earlier) {
      const related = [{ path: earlier, message: 'The first one is here.' }];
      report(duplicateState(name), at, { at: 'key', related });
    } else first.set(name, at);
  }
};
