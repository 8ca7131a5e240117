import type { Path } from '@dramaturg/compiler';
import type { Problem } from '@dramaturg/compiler/format';
import { end, isOtherTarget, reportDuplicates } from '@dramaturg/conversation';
import { eachState, type GraphRule, type State, toolsOf } from '../definition.ts';
import { error, info, warning } from '../problems.ts';
import type { ContextGraphOptions } from '../shape.ts';
import { statesByName } from '../state-graph.ts';

const keyed = { at: 'key' } as const;

const duplicateState = error('duplicate-state', (name: string) => ({
  message: `There is more than one state "${name}".`,
  hint: 'Give each state a name of its own.',
}));

const badName = error('bad-name', (name: string) => ({
  message: isOtherTarget(name)
    ? `"${name}" is a reserved name and cannot be the name of a state.`
    : `"${name}" cannot be the name of a state: only the letters A to Z, digits and underscores are allowed.`,
  hint: nameHint(name),
}));

function nameHint(name: string): string | undefined {
  const near = name
    .normalize('NFD')
    .replace(/\W+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 64);
  return near === '' ? undefined : `Write "${near}".`;
}

/** Reports state names with other characters than letters, digits and underscores, reserved names, and names used twice. Spec: docs/formats/context-graph.md#names */
export const badNames: GraphRule = ({ definition, report }) => {
  // A name written as a key is located as a key. A missing name has its own finding.
  const named = definition.states
    .filter(({ name, nameAt, at }) => name !== '' || at === nameAt)
    .map(({ name, nameAt: path, at }) => ({ name, path, ...(at === path && keyed) }));
  reportDuplicates(named, duplicateState, report);
  for (const { name, path, ...details } of named)
    if (!/^[A-Za-z0-9_]+$/.test(name) || isOtherTarget(name)) report(badName(name), path, details);
};

const noActions = error('no-actions', (name: string) => ({
  message: `The action state "${name}" has no actions.`,
  hint: 'Add at least one thing to say or do: "actions": ["..."].',
}));

/** Reports action states without actions. */
export const missingActions = eachState('action', ({ name, actions, at }, { report }) => {
  if (actions.length === 0) report(noActions(name), at, { follows: [[...at, 'actions']] });
});

const decisionWithoutExit = error('decision-without-exit', (name: string) => ({
  message: `The decision "${name}" has no exit conditions, so the conversation could never leave it.`,
  hint: 'Add at least one exit condition. Make the last one a catch-all.',
}));

/** Reports decisions without exit conditions. */
export const decisionsWithoutExit = eachState('decision', (state, { report }) => {
  const { name, exit_conditions: exits, at } = state;
  if (exits.length === 0)
    report(decisionWithoutExit(name), at, { about: [[...at, 'exit_conditions']] });
});

const recallBoth = warning('recall-both', (name: string) => ({
  message: `The recall "${name}" has both "queries" and "requested_information". Only the queries are used.`,
  hint: 'Set one of them to null.',
}));

const recallNeither = error('recall-neither', (name: string) => ({
  message: `The recall "${name}" does not say what to recall.`,
  hint: 'Add "queries": ["..."], or "requested_information": "...".',
}));

/** Reports recalls with both queries and requested information, or with neither. */
export const unclearRecalls = eachState('recall', (state, { options, report }) => {
  const { name, at, queries, requested_information: information } = state;
  if (queries.length > 0 && information !== '') report(severe(recallBoth(name), options), at);
  const follows = ['queries', 'requested_information'].map((field) => [...at, field]);
  if (queries.length === 0 && information === '') report(recallNeither(name), at, { follows });
});

/** A warning that the profile `strict` turns into an error. */
function severe(problem: Problem, { profile }: ContextGraphOptions): Problem {
  return profile === 'strict' ? { ...problem, severity: 'error' } : problem;
}

const toolPersistence = warning('tool-persistence', (name: string, persistence: string) => ({
  message: `The tool result of "${name}" is ${persistence}, so later states may not see it.`,
  hint: 'Write "result_persistence": "persisted".',
}));

/** Reports tool-call states whose result later states may not see. */
export const lostToolResults = eachState('tool-call', (state, { options, report }) => {
  const { result_persistence: persistence = 'persisted', at = [] } = state.designated_tool ?? {};
  if (persistence !== 'persisted')
    report(severe(toolPersistence(state.name, persistence), options), at, {
      follows: [[...at, 'result_persistence']],
    });
});

/** Version ranges that every version meets: versions begin with 1. */
const anyVersion = /^(?:|\*|>=\s*[01](?:\.0)*)$/;

const versionNotEnforced = warning('not-enforced', (constraint: string) => ({
  message: `The version "${constraint}" is not enforced: the tool that has the id is called, whatever its version.`,
  hint: 'Give that version of the tool under this id, and remove the field.',
}));

/** Reports versions of tools that a graph requires: nothing knows the version of a tool. */
export const unenforcedVersions: GraphRule = ({ definition, report }) => {
  const tools = definition.states.flatMap((state) => Object.values(toolsOf(state)).flat());
  for (const { version_constraint: constraint, at } of tools) {
    if (!anyVersion.test(constraint))
      report(versionNotEnforced(constraint), [...at, 'version_constraint']);
  }
};

const noSafetyExit = info('no-safety-exit', (name: string) => ({
  message: `No exit of "${name}" leads to the terminal state: a person who wants to stop here cannot.`,
  hint: 'Add an exit such as "The user explicitly asks to stop now".',
}));

/** Reports action states without an exit to the terminal state: a person may want to stop at any point. Spec: docs/formats/context-graph.md#exits */
export const missingSafetyExits = eachState('action', (state, { definition, report }) => {
  const { terminal_state: terminal } = definition;
  if (state.name === terminal || !statesByName(definition).has(terminal)) return;
  const exits = state.exit_conditions;
  const isSafe = exits.some(
    ({ next_state: target }) =>
      (target?.kind === 'state' && target.state === terminal) ||
      (target?.kind === 'other' && target.target === end),
  );
  if (exits.length > 0 && !isSafe) report(noSafetyExit(state.name), state.at);
});

const density = info('density', (name: string, count: number, what: string, usual: string) => ({
  message: `"${name}" has ${count} ${what}. Usual is ${usual}.`,
}));

/** Reports states with more actions or guidelines than a model usually handles in one call. */
export const denseStates = eachState('action', (state, { report }) => {
  for (const [field, what, most] of [
    ['actions', 'actions', 6],
    ['intra_state_navigation_guidelines', 'navigation guidelines', 8],
  ] as const) {
    const { length } = state[field];
    if (length > most)
      report(density(state.name, length, what, `up to ${most}`), [...state.at, field], keyed);
  }
});

const nonAscii = info('non-ascii', (character: string) => ({
  message: `This text has the character "${character}", which is not ASCII.`,
  hint: 'Replace it if you use voices or tools that read only ASCII.',
}));

/** Reports texts with characters beyond ASCII, which the platform expects. One finding per text. */
export const nonAsciiTexts: GraphRule = ({ definition, report }) => {
  const judge = (text: string, at: Path) => {
    const found = /[^\p{ASCII}]/u.exec(text);
    if (found) report(nonAscii(found[0]), at);
  };
  judge(definition.description, ['description']);
  for (const state of definition.states) {
    for (const [field, value] of Object.entries(textsOf(state))) {
      const at = [...state.at, field];
      if (typeof value === 'string') judge(value, at);
      else for (const [index, text] of value.entries()) judge(text, [...at, index]);
    }
    const exits = 'exit_conditions' in state ? state.exit_conditions : [];
    for (const { description, at } of exits) judge(description, [...at, 'description']);
  }
};

/** The texts and lists of texts of a state, by field. */
function textsOf(state: State): Record<string, string | readonly string[]> {
  return Object.fromEntries(
    Object.entries(state).filter(
      ([field, value]) =>
        !['type', 'name', 'at', 'nameAt'].includes(field) &&
        (typeof value === 'string' ||
          (Array.isArray(value) && value.every((item) => typeof item === 'string'))),
    ),
  );
}
