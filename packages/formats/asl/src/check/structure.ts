import { isRecord, type Path, reachableFrom } from '@dramaturg/compiler';
import { hasHole } from '../definition/field.ts';
import type { Machine, State, Workflow } from '../definition/index.ts';
import { agentTypes, isStateType, stateTypes } from '../definition/machine.ts';
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
import { machinesOf, statesOf, targetsOf } from '../walk.ts';
import type { WorkflowRule } from './rule.ts';

/** What was found while bringing the workflow into one spelling. */
export const spelling: WorkflowRule = ({ definition, report }) => {
  for (const { problem, path } of definition.findings) report(problem, path);
};

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
  const known = stateTypes.filter((type) => !isAmazon || !agentTypes.has(type));
  for (const { authored, at } of statesOf(definition)) {
    const type = authored['Type'];
    if (typeof type !== 'string') continue; // The shape check asks for it.
    if (!isStateType(type)) report(unknownType(type, known), [...at, 'Type']);
    else if (isAmazon && agentTypes.has(type)) report(agentType(type), [...at, 'Type']);
  }
};

/** A machine begins in one of its states. Spec: Agent 1, states-language.net/spec.html#toplevelfields */
export const startsExist: WorkflowRule = ({ definition, report }) => {
  const everywhere = namesOf(definition);
  for (const machine of machinesOf(definition)) {
    const { StartAt: start, at } = machine;
    const known = ownNames(machine);
    if (typeof machine.authored['StartAt'] !== 'string' || known.has(start)) continue;
    if (known.size === 0) continue; // A machine without states is reported as such.
    if (definition.isTemplate && hasHole(start)) continue;
    report(unknownStart(start, [...known], everywhere.has(start)), [...at, 'StartAt']);
  }
};

/** A state leads to states of its own machine. Spec: states-language.net/spec.html#transition */
export const targetsExist: WorkflowRule = ({ definition, report }) => {
  const everywhere = namesOf(definition);
  for (const machine of machinesOf(definition)) {
    const known = ownNames(machine);
    const names = [...known];
    for (const { target, path } of machine.States.flatMap(targetsOf)) {
      if (known.has(target) || (definition.isTemplate && hasHole(target))) continue;
      report(unknownTarget(target, names, everywhere.has(target)), path);
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
    const entered = reachableFrom([machine.StartAt], (name) => targets.get(name) ?? []);
    for (const { name, at } of machine.States) {
      if (!entered.has(name)) report(unreachableState(name), at, { at: 'key' });
    }
  }
};

/** Some state of a machine is an end. Spec: states-language.net/spec.html#terminal-state */
export const machinesEnd: WorkflowRule = ({ definition, report }) => {
  for (const { States: states, at } of machinesOf(definition)) {
    if (states.length === 0 || states.some((state) => isEnd(state, definition))) continue;
    report(noTerminalState(), [...at, 'States'], { at: 'key' });
  }
};

/** A state that is not understood may be one; in a template a bare `Output` is the outcome. */
function isEnd({ Type: type, authored }: State, { isTemplate }: Workflow): boolean {
  if (type === 'Succeed' || type === 'Fail' || !isStateType(authored['Type'])) return true;
  return authored['End'] === true || (isTemplate && Object.hasOwn(authored, 'Output'));
}

/** A state either ends or leads on. Spec: Agent 2, states-language.net/spec.html#transition */
export const statesLead: WorkflowRule = ({ definition, report }) => {
  for (const state of statesOf(definition)) {
    const { Type: type, name, authored, at } = state;
    if (type === 'Choice' || type === 'Succeed' || type === 'Fail') continue;
    const leads = Object.hasOwn(authored, 'Next');
    if (leads && authored['End'] === true) {
      report(nextAndEnd(name), [...at, 'End'], { at: 'key' });
    } else if (!leads && authored['End'] !== true && isStateType(authored['Type'])) {
      if (type === 'Approval' && Object.hasOwn(authored, 'Choices')) continue;
      if (definition.isTemplate && Object.hasOwn(authored, 'Output')) continue;
      report(noNext(name, authored['End'] === false), at, { at: 'key' });
    }
  }
};

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

function ownNames({ States: states }: Machine): ReadonlySet<string> {
  return new Set(states.map(({ name }) => name));
}
