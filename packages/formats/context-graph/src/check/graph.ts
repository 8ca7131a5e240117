import type { Path } from '@dramaturg/compiler';
import { rootsOf } from '@dramaturg/compiler/chart';
import type { Problem, Report } from '@dramaturg/compiler/format';
import { didYouMean, nearestName, quotedList } from '@dramaturg/compiler/text';
import { createOtherTargetCheck, groupedBy, otherTargets } from '@dramaturg/conversation';
import {
  deepestReference,
  eachState,
  type Graph,
  type GraphReference,
  type GraphRule,
  type State,
  type Target,
  targetsOf,
} from '../definition.ts';
import { error, warning } from '../problems.ts';
import {
  exitFields,
  hiddenCycles,
  initialStates,
  nextStates,
  reachableStates,
  statesByName,
  wiring,
} from '../state-graph.ts';
import { isResolved, referenceCycle, referencesFrom, tooLarge } from './references.ts';

type Role = 'new_user_initial_state' | 'returning_user_initial_state' | 'terminal_state';

function unknownRole(code: string, role: Role, what: string) {
  const unknown = error(code, (name: string, known: readonly string[]) => ({
    message: `The graph ${what} in the state "${name}", which does not exist.`,
    hint: () =>
      didYouMean(name, known) ?? `Write the name of an action state of this graph in "${role}".`,
  }));
  return { role, unknown };
}

const roles = [
  unknownRole('unknown-new-user-initial-state', 'new_user_initial_state', 'begins for a new user'),
  unknownRole(
    'unknown-returning-user-initial-state',
    'returning_user_initial_state',
    'begins for a returning user',
  ),
  unknownRole('unknown-terminal-state', 'terminal_state', 'ends'),
];

const notAnAction = error('not-an-action', (name: string, type: string, role: string) => ({
  message: `"${role}" is the ${type} state "${name}", but it must be an action state.`,
  hint: 'Name an action state: only action states speak to the person.',
}));

/** Reports initial and terminal states that are not action states. Spec: docs/formats/context-graph.md#graph */
export const wrongRoles: GraphRule = ({ definition, report }) => {
  const byName = statesByName(definition);
  for (const { role } of roles) {
    const name = definition[role];
    const state = byName.get(name);
    if (state && state.type !== 'action')
      report(notAnAction(name, state.type, role), [role], { follows: [[...state.at, 'type']] });
  }
};

const terminalActions = error('terminal-actions', (name: string, count: number) => ({
  message: `The terminal state "${name}" has ${count} actions, but it must have exactly one.`,
  hint: 'Merge them into one action, the last thing that is said.',
}));

const terminalExits = error('terminal-exits', (name: string) => ({
  message: `The terminal state "${name}" has exit conditions, but the conversation ends there.`,
  hint: 'Write "exit_conditions": [].',
}));

const initialIsTerminal = warning('initial-is-terminal', (name: string) => ({
  message: `The conversation begins in the terminal state "${name}", so it never ends by itself.`,
  hint: 'Add a state to begin in, unless the host ends the conversation.',
}));

/** Reports terminal states with several actions, with exits, or that are also initial. */
export const wrongTerminalStates: GraphRule = ({ definition, report }) => {
  const name = definition.terminal_state;
  const state = statesByName(definition).get(name);
  if (state?.type !== 'action') return;
  if (state.actions.length > 1)
    report(terminalActions(name, state.actions.length), [...state.at, 'actions']);
  if (state.exit_conditions.length > 0)
    report(terminalExits(name), [...state.at, 'exit_conditions'], { at: 'key' });
  if (initialStates(definition).includes(name)) report(initialIsTerminal(name), ['terminal_state']);
};

const noStates = error('no-states', () => ({
  message: 'The graph has no states.',
  hint: 'Add an action state to "states", and name it in "new_user_initial_state".',
}));

/** Reports graphs without states. */
export const missingStates: GraphRule = ({ definition, report }) => {
  const isEmpty = definition.states.length === 0 && !definition.hasNameless;
  if (isEmpty) report(noStates(), ['states'], { about: [['states']] });
};

/** A name of a state that does not exist, and where it is written. */
interface UnknownName {
  readonly name: string;
  readonly problem: Problem;
  readonly path: Path;
}

/** Reports names that no state of this graph has. A name in several places is reported once. */
export const unknownNames: GraphRule = ({ definition, report }) => {
  const known = [...statesByName(definition).keys()];
  if (known.length === 0) return; // A graph without states is reported as such.
  const all = [...unknownRoles(definition), ...unknownTargets(definition, known)];
  for (const [name, [first, ...others]] of groupedBy(all, (unknown) => unknown.name)) {
    if (!first || definition.otherNames.includes(name)) continue;
    // The name may belong to a state whose own name is unreadable, which is reported already.
    if (definition.hasNameless && nearestName(name, known) === undefined) continue;
    const about = [first, ...others].map(({ path }) => path);
    const related = others
      .slice(0, mostPlaces)
      .map(({ path }) => ({ path, message: `"${name}" is also named here.` }));
    report(first.problem, first.path, { about, related });
  }
};

/** The most additional places of one name in a finding. */
const mostPlaces = 5;

const unknownJumpback = error('unknown-jumpback', (name: string, known: readonly string[]) => ({
  message: `There is no state "${name}" to come back to.`,
  hint: () =>
    didYouMean(name, known) ?? 'Write a state of this graph as the second part of the pair.',
}));

const unknownTarget = error('unknown-target', (name: string, known: readonly string[]) => ({
  message: `There is no state "${name}".`,
  hint: () =>
    didYouMean(name, known) ??
    (name.includes('.')
      ? `Write a state of another graph as ["${name}", "<state to come back to>"].`
      : 'Write the name of a state of this graph.'),
}));

function unknownTargets({ states }: Graph, known: readonly string[]): UnknownName[] {
  const names = new Set(known);
  const unknown: UnknownName[] = [];
  for (const state of states) {
    for (const target of targetsOf(state)) {
      if (target.kind === 'malformed') continue;
      const { at } = target;
      if (target.kind === 'call' && !names.has(target.jumpback)) {
        const { jumpback: name } = target;
        unknown.push({ name, problem: unknownJumpback(name, known), path: [...at, 1] });
      } else if (target.kind === 'state' && !names.has(target.state)) {
        unknown.push({
          name: target.state,
          problem: unknownTarget(target.state, [...known, ...Object.keys(otherTargets)]),
          path: at,
        });
      }
    }
  }
  return unknown;
}

/** Names in roles that no state has. The shape check reports missing names. */
function unknownRoles(graph: Graph): UnknownName[] {
  const byName = statesByName(graph);
  const known = [...byName.keys()];
  return roles.flatMap(({ role, unknown }) => {
    const name = graph[role];
    if (name === '' || byName.has(name)) return [];
    return [{ name, problem: unknown(name, known), path: [role] }];
  });
}

const internalCycle = warning('internal-cycle', (name: string) => ({
  message: `The decision "${name}" can lead back to itself without asking the person.`,
  hint: 'Describe the exit that leads out clearly. The cycle repeats until it is chosen or the limit of the turn is reached.',
}));

const unconditionalCycle = error('unconditional-cycle', (names: readonly string[]) => ({
  message:
    names.length === 1
      ? `The state "${names[0]}" always leads back to itself.`
      : `The states ${quotedList(names)} lead to each other endlessly: none of them speaks to the person or decides.`,
  hint: 'Lead out of the cycle, or put a decision or an action state into it.',
}));

/** Reports cycles of states that never speak: an error without a decision, a warning with one. */
export const silentCycles: GraphRule = ({ definition, report }) => {
  for (const cycle of hiddenCycles(definition)) {
    const decides = cycle.some((state) => targetsOf(state).length > 1);
    const reported = decides ? cycle.filter(({ type }) => type === 'decision') : cycle;
    const [first, ...others] = reported;
    if (!first) continue;
    const problem = decides
      ? internalCycle(first.name)
      : unconditionalCycle(cycle.map(({ name }) => name));
    report(problem, first.at, {
      follows: cycle.flatMap(({ at }) => ['type', ...exitFields].map((field) => [...at, field])),
      related: others.map(({ name, at }) => ({
        path: at,
        message: `"${name}" is part of the same cycle.`,
      })),
    });
  }
};

const unreachable = warning('unreachable', (name: string) => ({
  message: `No path leads to the state "${name}".`,
  hint: 'Add an exit that leads to it, or remove it. It is not part of the machine.',
}));

/**
 * Reports states that no initial state leads to. The rules for charts cannot report them: unreachable states have no
 * node.
 */
export const unreachableStates: GraphRule = ({ definition, report }) => {
  const reached = reachableStates(definition, initialStates(definition));
  const byName = statesByName(definition);
  const unreached = [...byName.keys()].filter((name) => name !== '' && !reached.has(name));
  // States after an unreachable state are not reported: they become reachable with it.
  for (const name of rootsOf(unreached, (one) => nextStates(byName.get(one)!)))
    report(unreachable(name), byName.get(name)!.at, { follows: wiring });
};

const deadEnd = warning('dead-end', (name: string) => ({
  message: `The state "${name}" has no exit conditions and is not the terminal state: the conversation never leaves it.`,
  hint: 'Add an exit condition.',
}));

/** Reports action states without exits that are not the terminal state. */
export const deadEnds = eachState('action', (state, { definition, report }) => {
  const { name, at, exit_conditions: exits } = state;
  if (exits.length === 0 && name !== definition.terminal_state)
    report(deadEnd(name), at, { follows: [['terminal_state'], [...at, 'exit_conditions']] });
});

const referenceNotGiven = error(
  'reference-not-given',
  (name: string, id: string, version: number, others: readonly string[]) => ({
    message: `The graph "${name}" (${id}, version ${version}) is missing.`,
    hint:
      others.length > 0
        ? `Pass this version, or refer to one that was passed: ${others.map((key) => `"${key}"`).join(', ')}.`
        : `Write it in "${name}.context-graph.json" beside this file, or pass the option "graphs": { "${name}": { ... } }.`,
  }),
);

/** Reports entered graphs that are missing, and references that form a cycle. A graph that is never entered may be missing. */
export const missingReferences: GraphRule = ({ definition, report }) => {
  const entered = new Set(
    definition.states.flatMap((state) =>
      targetsOf(state).flatMap((target) => (target.kind === 'call' ? [target.reference] : [])),
    ),
  );
  for (const reference of definition.references) {
    const { name, id, version, graph, otherVersions, refused, at } = reference;
    if (leadsBack(reference)) report(referenceCycle(name), at);
    else if (refused === 'too deep') report(tooLarge('levels', deepestReference), at);
    else if (!graph && entered.has(name))
      report(referenceNotGiven(name, id, version, otherVersions), at);
  }
};

function leadsBack(reference: GraphReference): boolean {
  const graphs = isResolved(reference) ? referencesFrom(reference).map(({ graph }) => graph) : [];
  const further = graphs.flatMap(({ references }) => references);
  return [reference, ...further].some(({ refused }) => refused === 'cycle');
}

const badExternalTarget = error('bad-external-target', () => ({
  message: 'This target is not a pair of "reference.state" and the state to come back to.',
  hint: 'Write ["intake.ask_name", "next_step"].',
}));

const selfTarget = error('self-target', ({ name, type }: Pick<State, 'name' | 'type'>) => ({
  message: `The state "${name}" leads to itself.`,
  hint:
    type === 'action'
      ? 'Remove the exit: an action state stays when no exit condition holds.'
      : `Name another state: one of the type "${type}" is passed at once, so it would repeat without an end.`,
}));

const checkOtherTarget = createOtherTargetCheck({ warning }, 'next_state');

/**
 * Reports malformed targets, targets that are their own state, calls of an unknown graph or of an unknown state of one, and
 * fields that are for another target. Spec: docs/formats/context-graph.md#targets
 */
export const badTargets: GraphRule = ({ definition, report }) => {
  for (const state of definition.states) {
    for (const target of targetsOf(state)) {
      const other = target.kind === 'other' ? target.target : '';
      const place = { ...target, at: target.at.slice(0, -1) };
      checkOtherTarget(place, other, report);
      if (target.kind === 'malformed') report(badExternalTarget(), target.at);
      else if (target.kind === 'call') judgeCall(definition, target, report);
      else if (target.kind === 'state' && target.state === state.name)
        report(selfTarget(state), target.at);
    }
  }
};

const unknownReference = error('unknown-reference', (name: string, known: readonly string[]) => ({
  message: `"references" has no graph "${name}".`,
  hint: () => didYouMean(name, known) ?? `Add it: "references": { "${name}": [id, version] }.`,
}));

const unknownExternalState = error(
  'unknown-external-state',
  (name: string, reference: string, known: readonly string[]) => ({
    message: `The graph "${reference}" has no state "${name}".`,
    hint: () => didYouMean(name, known),
  }),
);

function judgeCall(
  { references, areReferencesRead }: Graph,
  { reference: name, state, at }: Target & { kind: 'call' },
  report: Report,
): void {
  const reference = references.find((one) => one.name === name);
  if (!reference) {
    const names = references.map((one) => one.name);
    if (areReferencesRead) report(unknownReference(name, names), [...at, 0], { topic: name });
  } else if (reference.graph) {
    const states = reference.graph.states.map((one) => one.name);
    if (!states.includes(state))
      report(unknownExternalState(state, name, states), [...at, 0], { topic: `${name}.${state}` });
  }
}
