import type { Json, JsonObject } from '@dramaturg/compiler';

/** The JSON of `cases.json`. */
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

export interface ValidationCase extends GraphSource {
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
