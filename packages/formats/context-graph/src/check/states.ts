import { isOtherTarget, reportDuplicates } from '@dramaturg/conversation';
import type { State, ToolCallSpec } from '../definition.ts';
import {
  badName,
  decisionWithoutExit,
  duplicateState,
  noActions,
  recallBoth,
  recallNeither,
  toolPersistence,
  versionNotEnforced,
} from '../diagnostics/states.ts';
import type { GraphRule } from './rule.ts';

const keyed = { at: 'key' } as const;

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

/** Reports action states without actions. */
export const missingActions: GraphRule = ({ definition, report }) => {
  for (const state of definition.states) {
    const isWritten = state.type === 'action' && state.actions.length === 0;
    if (isWritten) report(noActions(state.name), state.at, { follows: [[...state.at, 'actions']] });
  }
};

/** Reports decisions without exit conditions. */
export const decisionsWithoutExit: GraphRule = ({ definition, report }) => {
  for (const state of definition.states) {
    if (state.type === 'decision' && state.exit_conditions.length === 0)
      report(decisionWithoutExit(state.name), state.at, {
        about: [[...state.at, 'exit_conditions']],
      });
  }
};

/** Reports recalls with both queries and requested information, or with neither. */
export const unclearRecalls: GraphRule = ({ definition, options, report }) => {
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

/** Reports tool-call states whose result later states may not see. */
export const lostToolResults: GraphRule = ({ definition, options, report }) => {
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

/** Version ranges that every version meets: versions begin with 1. */
const anyVersion = /^(?:|\*|>=\s*[01](?:\.0)*)$/;

/** Reports versions of tools that a graph requires: nothing knows the version of a tool. */
export const unenforcedVersions: GraphRule = ({ definition, report }) => {
  for (const { version_constraint: constraint, at } of definition.states.flatMap(toolsOf)) {
    if (!anyVersion.test(constraint))
      report(versionNotEnforced(constraint), [...at, 'version_constraint']);
  }
};

function toolsOf(state: State): readonly ToolCallSpec[] {
  return [
    ...('action_tool_call_specs' in state
      ? [...state.action_tool_call_specs, ...state.exit_condition_tool_call_specs]
      : []),
    ...('tool_call_specs' in state ? state.tool_call_specs : []),
    ...('designated_tool' in state ? [state.designated_tool ?? []].flat() : []),
  ];
}
