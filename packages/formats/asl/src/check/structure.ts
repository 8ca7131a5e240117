import {
  isRecord,
  nearestName,
  type Path,
  type Pattern,
  reachableFrom,
  rootsOf,
} from '@dramaturg/compiler';
import { hasHole, isHole } from '../definition/field.ts';
import type { Machine, State, Workflow } from '../definition/index.ts';
import { unsupportedField } from '../diagnostics/fields.ts';
import { stateSchema } from '../document.ts';
import { isAgentType, isStateType, stateTypes } from '../kinds.ts';
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
} from '../diagnostics/structure.ts';
import { targetsOf } from '../authored.ts';
import { machinesOf, statesOf } from '../walk.ts';
import type { WorkflowRule } from './rule.ts';

/** A machine has states. Spec: Agent 1, states-language.net/spec.html#toplevelfields */
export const machinesHaveStates: WorkflowRule = ({ definition, report }) => {
  for (const { authored, at } of machinesOf(definition)) {
    const states = authored['States'];
    if (isRecord(states) && Object.keys(states).length === 0) report(noStates(), [...at, 'States']);
  }
};

/** The type of a state is one of its language. Spec: Agent 2, states-language.net/spec.html#statetypes */
export const typesExist: WorkflowRule = ({ definition, report }) => {
  const isAmazon = definition.dialect === 'amazon';
  const known = stateTypes.filter((type) => !isAmazon || !isAgentType(type));
  for (const { authored, at } of statesOf(definition)) {
    const type = authored['Type'];
    if (type === undefined) {
      const field = Object.keys(authored).find((key) => nearestName(key, ['Type']) !== undefined);
      if (field === undefined) continue; // The shape check asks for it.
      const misspelt = [...at, 'Type'];
      report(unsupportedField(field, 'A state', 'Type'), [...at, field], { at: 'key', misspelt });
    }
    if (typeof type !== 'string') continue;
    if (!isStateType(type)) report(unknownType(type, known), [...at, 'Type']);
    else if (isAmazon && isAgentType(type)) report(agentType(type), [...at, 'Type']);
  }
};

/** `StartAt` names a state of the machine. Spec: Agent 1, states-language.net/spec.html#toplevelfields */
export const startsExist: WorkflowRule = ({ definition, report }) => {
  const everywhere = namesOf(definition);
  for (const machine of machinesOf(definition)) {
    const { StartAt: start, at } = machine;
    const known = ownNames(machine);
    if (typeof machine.authored['StartAt'] !== 'string' || known.has(start)) continue;
    if (known.size === 0) continue; // A machine without states is reported as such.
    if (definition.isTemplate && hasHole(start)) continue;
    const related = targetsIn(machine)
      .filter(({ target }) => target === start)
      .slice(0, mostPlaces)
      .map(({ path }) => ({ path, message: 'It is named here, too.' }));
    report(unknownStart(start, [...known], everywhere.has(start)), [...at, 'StartAt'], { related });
  }
};

/** How many related places are listed for one name. */
const mostPlaces = 5;

function targetsIn({ States: states }: Machine) {
  return states.flatMap(targetsOf);
}

/** A state leads to states of its own machine. Spec: states-language.net/spec.html#transition */
export const targetsExist: WorkflowRule = ({ definition, report }) => {
  const everywhere = namesOf(definition);
  for (const machine of machinesOf(definition)) {
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

/** Every state can be entered. Spec: AWS refuses others as `MISSING_TRANSITION_TARGET` */
export const statesReachable: WorkflowRule = ({ definition, report }) => {
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

/** Some state of a machine is an end. Spec: states-language.net/spec.html#terminal-state */
export const machinesEnd: WorkflowRule = ({ definition, report }) => {
  for (const { States: states, at } of machinesOf(definition)) {
    if (states.length === 0 || states.some((state) => isEnd(state, definition))) continue;
    report(noTerminalState(), [...at, 'States'], {
      at: 'key',
      about: explainsNothing,
      follows: wiringOf(at),
    });
  }
};

/** A conclusion from the wiring of a machine does not explain other conclusions from it. */
const explainsNothing: readonly Path[] = [];

/** The fields of a machine that say which state leads to which, and which states end it. */
function wiringOf(at: Path): readonly Pattern[] {
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

/** A state of an unknown type may be an end; in a template a bare `Output` is the outcome. */
function isEnd({ authored }: State, { isTemplate }: Workflow): boolean {
  if (waysOf(authored['Type']).length === 0) return true;
  return authored['End'] === true || (isTemplate && Object.hasOwn(authored, 'Output'));
}

/** A state either ends or leads on. Spec: Agent 2, states-language.net/spec.html#transition */
export const statesLead: WorkflowRule = ({ definition, report }) => {
  for (const state of statesOf(definition)) {
    const { name, authored, at } = state;
    const ways = waysOf(authored['Type']);
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

/** The fields by which a state of a type can lead on or end its machine. */
function waysOf(type: unknown): readonly string[] {
  const fields = stateSchema(type)?.shape ?? {};
  return ['Next', 'End', 'Choices'].filter((field) => Object.hasOwn(fields, field));
}

/** Amazon's limit. Spec: states-language.net/spec.html#states-fields */
const longestName = 80;

/**
 * Names are unique in a whole workflow of Amazon's, and short. In Agent State Language machines may use the names of
 * others. Spec: states-language.net/spec.html#states-fields, Agent 1
 */
export const namesAreUnique: WorkflowRule = ({ definition, report }) => {
  const first = new Map<string, Path>();
  for (const { name, at } of statesOf(definition)) {
    if (name === '') report(emptyName(), at, { at: 'key' });
    if (definition.dialect === 'agent') continue;
    if (name.length > longestName) report(longName(name.length, longestName), at, { at: 'key' });
    const earlier = first.get(name);
    if (earlier) {
      const related = [{ path: earlier, message: 'The first one.' }];
      report(duplicateState(name), at, { at: 'key', related });
    } else first.set(name, at);
  }
};

function namesOf(workflow: Workflow): ReadonlySet<string> {
  return new Set(statesOf(workflow).map(({ name }) => name));
}

/** The names of a machine's states, including those that cannot be read. */
function ownNames({ States: states, authored }: Machine): ReadonlySet<string> {
  const written = authored['States'];
  return new Set(isRecord(written) ? Object.keys(written) : states.map(({ name }) => name));
}
