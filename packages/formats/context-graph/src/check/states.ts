import type { Path } from '@dramaturg/compiler';
import {
  badName,
  decisionWithoutExit,
  duplicateState,
  noActions,
  noStates,
  recallBoth,
  recallNeither,
  toolPersistence,
} from '../diagnostics.ts';
import type { GraphRule } from './rule.ts';

/** There is something to begin in. */
export const statesPresent: GraphRule = ({ definition, report }) => {
  const isEmpty = definition.states.length === 0 && !definition.hasNameless;
  if (isEmpty) report(noStates(), ['states'], { about: [['states']] });
};

/** Names are words, and each state has one of its own. Spec: docs/formats/context-graph.md#names */
export const stateNames: GraphRule = ({ definition, report }) => {
  const first = new Map<string, Path>();
  for (const { name, nameAt, at } of definition.states) {
    // A name that stands as a key is pointed at as a key; an absent one is reported as such.
    const details = at === nameAt ? ({ at: 'key' } as const) : {};
    if (name === '' && at !== nameAt) continue;
    const earlier = first.get(name);
    if (earlier)
      report(duplicateState(name), nameAt, {
        ...details,
        related: [{ path: earlier, message: 'First declared here.' }],
      });
    else first.set(name, nameAt);
    if (!/^[A-Za-z0-9_]+$/.test(name)) report(badName(name), nameAt, details);
  }
};

/** An action state has something to say. */
export const actionsPresent: GraphRule = ({ definition, report }) => {
  for (const state of definition.states) {
    const isWritten = state.type === 'action' && state.actions.length === 0;
    if (isWritten) report(noActions(state.name), state.at, { follows: [[...state.at, 'actions']] });
  }
};

/** A decision must be left, so it has exits. */
export const decisionsHaveExits: GraphRule = ({ definition, report }) => {
  for (const state of definition.states) {
    if (state.type === 'decision' && state.exit_conditions.length === 0)
      report(decisionWithoutExit(state.name), state.at, {
        about: [[...state.at, 'exit_conditions']],
      });
  }
};

/** A recall names its queries, or the information that a model words queries for. */
export const recalls: GraphRule = ({ definition, options, report }) => {
  for (const state of definition.states) {
    if (state.type !== 'recall') continue;
    const { name, at, queries, requested_information: information } = state;
    if (queries.length > 0 && information !== '') {
      const problem = recallBoth(name);
      report(options.profile === 'strict' ? { ...problem, severity: 'error' } : problem, at);
    }
    const follows = ['queries', 'requested_information'].map((field) => [...at, field]);
    if (queries.length === 0 && information === '') report(recallNeither(name), at, { follows });
  }
};

/** What a tool-call state is for is lost when nobody sees the result. */
export const toolResults: GraphRule = ({ definition, options, report }) => {
  for (const state of definition.states) {
    if (state.type !== 'tool-call' || !state.designated_tool) continue;
    const { result_persistence: persistence, at } = state.designated_tool;
    if (persistence === 'persisted') continue;
    const problem = toolPersistence(state.name, persistence);
    report(options.profile === 'strict' ? { ...problem, severity: 'error' } : problem, at, {
      follows: [[...at, 'result_persistence']],
    });
  }
};
