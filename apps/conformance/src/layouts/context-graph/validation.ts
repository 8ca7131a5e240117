import { check, type Diagnostic, type Json, type JsonObject } from '@dramaturg/compiler';
import { contextGraph } from '@dramaturg/context-graph';
import { type Difference, firstDifference } from '../../layout.ts';

/** Maps the codes of the case file to ours. */
const ownCodes: Readonly<Record<string, string>> = {
  'CG-NAME': 'bad-name',
  'CG-DUP': 'duplicate-state',
  'CG-NAME-MISMATCH': 'name-mismatch',
  'CG-NO-ACTIONS': 'no-actions',
  'CG-UNKNOWN-TARGET': 'unknown-target',
  'CG-SELF-TARGET': 'self-target',
  'CG-BAD-EXTERNAL': 'bad-external-target',
  'CG-UNKNOWN-REF': 'unknown-reference',
  'CG-UNKNOWN-EXTERNAL-STATE': 'unknown-external-state',
  'CG-UNKNOWN-JUMPBACK': 'unknown-jumpback',
  'CG-REF-CYCLE': 'reference-cycle',
  'CG-UNKNOWN-NEW_USER_INITIAL_STATE': 'unknown-new-user-initial-state',
  'CG-UNKNOWN-RETURNING_USER_INITIAL_STATE': 'unknown-returning-user-initial-state',
  'CG-UNKNOWN-TERMINAL_STATE': 'unknown-terminal-state',
  'CG-NOT-ACTION': 'not-an-action',
  'CG-TERMINAL-ACTIONS': 'terminal-actions',
  'CG-TERMINAL-EXITS': 'terminal-exits',
  'CG-DECISION-NO-EXIT': 'decision-without-exit',
  'CG-RECALL-NEITHER': 'recall-neither',
  'CG-RECALL-BOTH': 'recall-both',
  'CG-UNSUPPORTED-TYPE': 'unsupported-type',
  'CG-UNCONDITIONAL-CYCLE': 'unconditional-cycle',
  'CG-INTERNAL-CYCLE': 'internal-cycle',
  'CG-TOOL-PERSISTENCE': 'tool-persistence',
  'CG-DEAD-END': 'dead-end',
  'CG-UNREACHABLE': 'unreachable',
  'CG-INITIAL-IS-TERMINAL': 'initial-is-terminal',
};

/** Codes that the case file repeats for every state that a mistake affects. */
const consequences = ['unreachable'];

/**
 * Compares errors and warnings: severity, code, and the state if the case file names it. The case file lists every consequence of
 * a mistake, but we report one finding for each cause. An expected finding therefore counts as reported if a finding of the same
 * kind lists its state as related. A consequence also counts if there is any error.
 */
export function runValidation(
  { graph, graphs }: LoadedGraphs,
  { diagnostics }: ValidationCase,
): Difference | undefined {
  const found = check(JSON.stringify(graph), {
    formats: [contextGraph],
    format: 'context-graph',
    options: { graphs },
  }).diagnostics.filter(({ severity }) => severity !== 'info');
  const names = namesOf(graph);
  const expected = diagnostics.map(([severity, code, about]) => ({
    finding: `${severity} ${ownCodes[code] ?? code}`,
    state: typeof about === 'string' && names.includes(about) ? about : undefined,
  }));
  const isReported = ({ finding, state }: Expected) =>
    found.some(({ code, severity, related = [] }) => {
      if (severity === 'error' && consequences.some((one) => finding.endsWith(` ${one}`)))
        return true;
      const isRole = finding.includes('initial-state') && code.includes('initial-state');
      if (finding !== `${severity} ${ownCode(code)}` && !isRole) return false;
      const places = related.map(({ path }) => stateAt(graph, path));
      return related.length > 0 && (state === undefined || places.includes(state));
    });
  const withState = new Set(
    expected.filter(({ state }) => state !== undefined).map(({ finding }) => finding),
  );
  const actual = found.map((diagnostic) => {
    const finding = `${diagnostic.severity} ${ownCode(diagnostic.code)}`;
    return { finding, state: withState.has(finding) ? stateAt(graph, diagnostic.path) : undefined };
  });
  const reported = new Set(actual.map(nameOf));
  const remaining = expected.filter((one) => reported.has(nameOf(one)) || !isReported(one));
  return firstDifference({ findings: listed(remaining) }, { findings: listed(actual) });
}

interface Expected {
  readonly finding: string;
  readonly state: string | undefined;
}

function nameOf({ finding, state }: Expected): string {
  return `${finding} ${state ?? ''}`;
}

function ownCode(code: string): string {
  return code.replace(/^context-graph\//, '');
}

function listed(findings: readonly Expected[]): string {
  const lines = findings.map(({ finding, state }) =>
    state === undefined ? finding : `${finding} "${state}"`,
  );
  return lines.toSorted().join(', ') || 'none';
}

function namesOf({ states }: JsonObject): readonly Json[] {
  if (!Array.isArray(states)) return Object.keys(states ?? {});
  return (states as readonly JsonObject[]).map(({ name }) => name ?? null);
}

/** The name of the state that contains a finding. */
function stateAt({ states }: JsonObject, [root, place]: Diagnostic['path']): string | undefined {
  if (root !== 'states' || place === undefined) return undefined;
  if (!Array.isArray(states)) return String(place);
  return (states as readonly JsonObject[])[Number(place)]?.['name'] as string;
}

/** The contents of `cases.json`. */
export interface CaseFile {
  readonly behaviour: readonly BehaviourCase[];
  readonly validation: readonly ValidationCase[];
  readonly topology?: readonly TopologyCase[];
  readonly result_persistence?: readonly PersistenceCase[];
}

/** The graph of a case: inline, or the name of a file. */
export interface GraphSource {
  readonly graph?: string;
  readonly graph_inline?: JsonObject;
  /** The files of the referenced graphs, by the name of the reference. */
  readonly references?: Readonly<Record<string, string>>;
  readonly references_inline?: Readonly<Record<string, JsonObject>>;
}

/** The loaded graph of a case and the graphs that it references. */
export interface LoadedGraphs {
  readonly graph: JsonObject;
  readonly graphs: Readonly<Record<string, JsonObject>>;
}

export interface BehaviourCase extends GraphSource {
  readonly id: string;
  readonly options: { readonly returning?: boolean; readonly maxSteps?: number };
  readonly turns: readonly TurnCase[];
}

export interface TurnCase {
  /** Null when the agent speaks first. */
  readonly user: string | null;
  readonly answers: readonly (readonly [port: string, answer: Json])[];
  readonly error?: string;
  readonly trace?: string;
  readonly [aspect: string]: unknown;
}

interface ValidationCase extends GraphSource {
  readonly id: string;
  /** Severity, code and subject, which is often the name of a state. */
  readonly diagnostics: readonly (readonly [string, string, ...Json[]])[];
}

export interface TopologyCase extends GraphSource {
  readonly text: string;
}

export interface PersistenceCase {
  readonly result_persistence: string;
  readonly result_chars: number;
  readonly current_call: boolean;
  readonly later_calls: boolean;
  readonly stored: boolean;
  readonly error: boolean;
}
