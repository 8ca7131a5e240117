import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import type { ChartNode } from '@dramaturg/compiler/chart';
import type { Action } from '@dramaturg/compiler/format';
import type { Part } from '../authored.ts';
import { composed, references } from '../behaviour/part.ts';
import { continueState, leaveState, prepareState } from '../behaviour/state-steps.ts';
import type { StateRule } from '../check/rule.ts';
import { progressOf, withVisit, type WorkflowContext, type WorkVisit } from '../context.ts';
import { block, hasHole, optional, described, text } from '../definition/field.ts';
import type { Machine } from '../definition/machine.ts';
import { agentWorkFields, type StateBase, stateObject } from '../definition/state.ts';
import { badImport, carriedOnly, notEnforced, unknownImport } from '../diagnostics/fields.ts';
import type { Variables } from '../flow/run.ts';
import { importedPath } from '../imports.ts';
import { type NodeContext, StateNodes } from '../lower/nodes.ts';
import { asRecord, optionalJson, optionalObject, optionalString } from '../normalise/fields.ts';
import { type Reading, readOutcome } from '../normalise/state.ts';
import { fill, parametersOf } from '../normalise/template.ts';
import { readCommonTools } from '../definition/tools.ts';
import { testWork } from '../test-state/tester.ts';
import type { Kind } from './kind.ts';
import {
  beginBranches,
  failBranch,
  type ParallelParams,
  withoutBranches,
  withUsageOf,
} from './parallel.ts';
import { subworkflowBehaviour, subworkflowNode } from './subworkflow.ts';

/** Spec: Agent 10 §Include */
const include = stateObject(agentWorkFields, {
  /** Agent 10 §Include */
  Template: described(text, 'A name in the `Imports` of the workflow.'),
  /** Agent 10 §Modules */
  EntryPoint: optional(text, 'Where to begin in it, and where to leave it.'),
  ExitPoint: optional(text, 'The state of the template at which it ends.'),
  /** Agent 10 §Overrides */
  Override: optional(block, 'What to change in it.'),
});

export type Include = ReturnType<typeof readInclude>;

/** How deep templates may include templates: deeper than anyone writes. */
const deepest = 16;

/** Fields about runs: a template that is included has no runs of its own, so they have no effect. */
const ofRuns = [
  'TimeoutSeconds',
  'Budget',
  'Checkpointing',
  'Memory',
  'Progress',
  'Events',
  'RealTime',
  'Observability',
  'CircuitBreaker',
];

/** The fields of these that limit a run: in a template they protect nothing. */
const limitsOfRuns: readonly string[] = ['Budget', 'TimeoutSeconds', 'CircuitBreaker'];

/** Spec: Agent 10 §Include */
function readInclude(base: StateBase, authored: Part, reading: Reading) {
  const { value: fields } = authored;
  return {
    ...base,
    ...readOutcome(authored, reading),
    Type: 'Include' as const,
    Template: optionalString(fields['Template']) ?? '',
    Parameters: optionalJson(fields['Parameters']),
    EntryPoint: optionalString(fields['EntryPoint']),
    ExitPoint: optionalString(fields['ExitPoint']),
    Override: optionalObject(fields['Override']),
    ...readTemplate(authored, reading),
  };
}

/** The part of a template that a state includes; undefined where an agent runs it. */
interface Included {
  readonly Machine: Machine | undefined;
  /** The machine as it would have been written. */
  readonly Filled: JsonObject | undefined;
}

function readTemplate({ value: fields, at }: Part, reading: Reading): Included {
  const { importing, report } = reading;
  const alias = optionalString(fields['Template']) ?? '';
  const source = importing && optionalString(ownOf(importing.imports, alias));
  // Without files an agent of that name runs the template. A rule reports an unknown alias.
  if (!importing?.files || source === undefined) return { Machine: undefined, Filled: undefined };
  const refuse = (because: string) => {
    report(badImport(alias, because), [...at, 'Template']);
    return { Machine: undefined, Filled: undefined };
  };
  const path = importedPath(importing.path, source);
  if (path === undefined) return refuse(`"${source}" leads out of the folder of the workflow.`);
  const file = ownOf(importing.files, path);
  if (!isRecord(file) && /^[a-z][a-z0-9+.-]*:/i.test(path))
    return refuse(
      `"${path}" is not fetched: keep a copy beside the workflow, or give it with the option "imports".`,
    );
  if (!isRecord(file)) return refuse(`There is no template in "${path}".`);
  const stack = [...importing.stack, importing.path];
  if (stack.includes(path))
    return refuse(
      `It includes itself: ${[...stack, path].filter((one) => one !== '').join(' -> ')}.`,
    );
  if (stack.length > deepest) return refuse(`Templates include one another ${deepest} deep.`);
  const wanted = lockedVersion(ownOf(importing.lock, alias));
  const found = optionalString(file['Version']) ?? '1.0';
  if (wanted !== undefined && wanted !== found)
    return refuse(`It is locked to the version ${wanted}, and "${path}" is ${found}.`);
  const declared = optionalObject(file['Parameters']) ?? {};
  const { parameters, problems } = parametersOf(
    declared,
    optionalObject(fields['Parameters']) ?? {},
  );
  const filled = fill(
    {
      StartAt: optionalString(file['StartAt']) ?? '',
      States: asRecord(file['States']) as JsonObject,
      DefaultTools: (file['DefaultTools'] ?? null) as Json,
      ToolCategories: asRecord(file['ToolCategories']) as JsonObject,
    },
    parameters,
  );
  const [problem] = [...problems, ...filled.problems];
  if (problem !== undefined) return refuse(problem);
  const machine = shaped(filled.value as JsonObject, file, fields);
  if (typeof machine === 'string') return refuse(machine);
  const { Imports: imports, _lock: lock } = file;
  const own = { ...importing, path, imports: asRecord(imports), lock: asRecord(lock), stack };
  const { DefaultTools: defaults } = filled.value as JsonObject;
  // The rules report mistakes in the tools when they check the template.
  const silent = { report: () => undefined };
  const template = { value: filled.value as JsonObject, at };
  const tools = readCommonTools(template, silent, reading.tools);
  for (const field of ofRuns.filter((name) => Object.hasOwn(file, name))) {
    const name = `${alias}.${field}`;
    report(
      limitsOfRuns.includes(field) ? notEnforced(name, 'it limits whole runs') : carriedOnly(name),
      [...at, 'Template'],
    );
  }
  return {
    Machine: reading.readMachine({ value: machine, at }, { ...reading, importing: own, tools }),
    Filled: {
      ...machine,
      ...(defaults !== null && { DefaultTools: defaults! }),
      ToolCategories: tools.categories as JsonObject,
    },
  };
}

/** The part that is included: from its entry point, to its exit point, with the overrides applied. */
function shaped(
  { StartAt: first, States: written }: JsonObject,
  { Exports: exported, Module: isModule }: Readonly<Record<string, unknown>>,
  authored: Readonly<Record<string, unknown>>,
): JsonObject | string {
  const { EntryPoint: entry, ExitPoint: exit, Override: override } = authored;
  const states = patched(written!, optionalObject(override)?.['States'] ?? {}, 0) as JsonObject;
  for (const name of [entry, exit]) {
    if (typeof name === 'string' && !Object.hasOwn(states, name))
      return `It has no state "${name}".`;
  }
  const lends = Array.isArray(exported) ? exported : undefined;
  if (typeof entry === 'string' && lends && !lends.includes(entry))
    return `It lends ${lends.map((name) => JSON.stringify(name)).join(', ')}, and not "${entry}".`;
  const start = optionalString(entry) ?? optionalString(first);
  if (start === undefined || start === '')
    return isModule === true ? 'A module needs an "EntryPoint".' : 'It has no "StartAt".';
  const shapedStates = Object.entries(states).map(([name, state]): [string, Json] => [
    name,
    isRecord(state) ? ended(state, name === exit) : state,
  ]);
  const all = Object.fromEntries(shapedStates);
  return { StartAt: start, States: reachable(all, start) };
}

/** The states that can be reached from the entry point: of a module, only these are included. */
function reachable(states: JsonObject, start: string): JsonObject {
  const found = new Set([start]);
  for (const name of found) {
    const state = Object.hasOwn(states, name) ? states[name] : undefined;
    for (const target of targetsIn(state ?? null, 0)) found.add(target);
  }
  return Object.fromEntries(Object.entries(states).filter(([name]) => found.has(name)));
}

function targetsIn(value: Json, depth: number): string[] {
  if (typeof value !== 'object' || value === null || depth > 4) return [];
  const named = isRecord(value)
    ? [value['Next'], value['Default']].filter((name) => typeof name === 'string')
    : [];
  return [
    ...named,
    ...Object.values(value as JsonObject).flatMap((item) => targetsIn(item, depth + 1)),
  ];
}

/** A state of a tutorial's template says `Output: "success"` where the language has `End`. */
function ended({ Output: output, ...state }: JsonObject, isExit: boolean): JsonObject {
  if (isExit) {
    const { Next: _next, ...last } = state;
    return { ...last, End: true };
  }
  const leads = ['Next', 'End', 'Choices'].some((field) => Object.hasOwn(state, field));
  if (output === undefined) return state;
  return leads ? { Output: output, ...state } : { ...state, End: true };
}

/** Objects are patched field by field, everything else is replaced. Agent 10 §Overrides */
function patched(value: Json, patch: Json, depth: number): Json {
  if (!isRecord(value) || !isRecord(patch) || depth > 50) return patch;
  const fields = new Map(Object.entries(value));
  for (const [name, change] of Object.entries(patch)) {
    const before = fields.get(name);
    fields.set(name, before === undefined ? change : patched(before, change, depth + 1));
  }
  return Object.fromEntries(fields);
}

function lockedVersion(lock: unknown): string | undefined {
  return (
    optionalString(lock) ??
    optionalString(asRecord(lock)['Version']) ??
    optionalString(asRecord(lock)['version'])
  );
}

function ownOf(fields: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** Reports templates that are not imported. Spec: Agent 10 §Imports */
const unknownImports: StateRule<Include> = ({ Template: template, at }, subject) => {
  const { definition, report } = subject;
  if (template === '' || definition.Imports.includes(template)) return;
  if (definition.isTemplate && hasHole(template)) return;
  report(unknownImport(template, definition.Imports), [...at, 'Template'], {
    follows: [['Imports']],
    topic: definition.Imports.length === 0 ? '' : template,
  });
};

const refer = references<typeof includeBehaviour>();

/** The states of a template, with data of their own, as a part of the state that includes it. Spec: Agent 10 §Include */
function includeNode(state: Include, id: string, context: NodeContext): ChartNode {
  const { Machine: template } = state;
  if (!template) return subworkflowNode(state, id, context);
  const machine = `${id}:template`;
  const branches = [machine];
  const nodes = new StateNodes(state, id, context);
  const params = { ...nodes.params, branches };
  const fail = refer.action('failBranch', { machine, of: context.machine, branches });
  const { target, actions } = nodes.failing(fail);
  const inside: NodeContext = {
    ...context,
    machine,
    end: `#${id}:included`,
    fail: { target: target as string, actions: actions ?? [] },
  };
  const { initial, states } = context.statesOf(template, inside);
  return nodes.whole({
    prepare: refer.action('prepareInclude', params),
    working: {
      working: {
        id: machine,
        ...(initial !== undefined && { initial }),
        states: {
          ...states,
          '%done': { id: `${id}:included`, type: 'final', meta: { title: 'done' } },
        },
        onDone: [{ target: `#${id}:finishing` }],
      },
    },
    finish: refer.action('finishInclude', params),
  });
}

/** The template begins with the input of the state. Spec: Agent 10 §Include */
const prepareInclude: Action<WorkflowContext, unknown, ParallelParams> = (scope, params) =>
  prepareState(scope, params, (state, progress) => {
    const { flow } = state.program;
    const run = state.run(progress);
    const work = flow.select(run);
    const { Parameters: parameters } = state.program.state as Include;
    const dynamic = isRecord(parameters)
      ? Object.keys(parameters).filter((key) => key.endsWith('.$'))
      : [];
    const values = dynamic.length === 0 ? {} : variablesFrom(flow.prepare(run, work), dynamic);
    const variables = { ...progress.variables, ...values };
    const effects = state.effects(withVisit<WorkVisit>(progress, { work }));
    const template = beginBranches(scope, params, { ...progress, variables }, work);
    return { ...effects, context: { ...effects.context, ...template } };
  });

/** Parameters with paths have values only at run time, so they become variables of the template. */
function variablesFrom(values: Json, keys: readonly string[]): Variables {
  const fields = isRecord(values) ? values : {};
  const names = keys.map((key) => key.slice(0, -2));
  return Object.fromEntries(names.map((name) => [name, fields[name] ?? null]));
}

const finishInclude: Action<WorkflowContext, unknown, ParallelParams> = (scope, params) => {
  const branches = params.branches.map((branch) => progressOf(scope.context, branch));
  const effects = continueState(scope, params, (state, before) => {
    const progress = withUsageOf(before, branches);
    return state.attempt(progress, () => {
      const outcome = state.program.flow.finish(state.run(progress), branches[0]!.input);
      return leaveState(state, progress, outcome);
    });
  });
  return { ...effects, context: { ...effects.context, ...withoutBranches(params.branches) } };
};

const includeBehaviour = composed(subworkflowBehaviour, {
  actions: { prepareInclude, finishInclude, failBranch },
});

export const includeKind: Kind<Include> = {
  definition: {
    schema: include,
    isAgentOnly: true,
  },
  read: readInclude,
  rules: [unknownImports],
  node: includeNode,
  behaviour: includeBehaviour,
  test: testWork,
};
