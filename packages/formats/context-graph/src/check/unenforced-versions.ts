import type { State, ToolCallSpec } from '../definition.ts';
import { versionNotEnforced } from '../diagnostics/states.ts';
import type { GraphRule } from './rule.ts';

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
