import type { z } from 'zod';
import type { Chart } from './chart/chart.ts';
import type { Problem, ProblemKind } from './diagnostic.ts';
import type { Json } from './json.ts';
import type { Behaviour } from './link/behaviour.ts';
import type { Path } from './path.ts';

/**
 * A front end of the compiler: everything the compiler, the host and the tools know about one kind of definition.
 * A new format is a new value of this type; nothing else may need to change.
 */
export interface Format<Definition = unknown, Options extends object = object> {
  /** `plan`; also the first part of its diagnostic codes. */
  readonly name: string;
  /** What its machines are for. Consumers ask for the kind and never for the name. */
  readonly kind: FormatKind;
  /** What people call such a definition: `conversation plan`. */
  readonly title: string;
  /** Endings of file names that settle the question, such as `.plan.json`. */
  readonly suffixes: readonly string[];
  /** Judges by shape alone whether a value is such a definition. */
  readonly recognise: (value: unknown) => Recognition;
  /** The shape a value is meant to have, in every spelling that is accepted. Unknown fields are allowed. */
  readonly shape: (value: unknown) => z.ZodType;
  /** The options a person may set when compiling. */
  readonly options: z.ZodType<Options>;
  /**
   * The authored value in one spelling. Reports what is wrong with spellings. Total: parts of a wrong shape are dropped,
   * so that rules can judge the rest.
   */
  readonly normalise: (value: unknown, report: Report, options: Options) => Definition;
  /** The rules of meaning. None throws; each reports what it finds. */
  readonly rules: readonly Rule<Definition, Options>[];
  /** Makes the chart. Called only for a definition in which nothing is an error. */
  readonly lower: (definition: Definition, options: Options) => Chart;
  /** Where a definition says which state leads to which: what is wrong there explains states that seem unreachable. */
  readonly wiring?: (value: unknown) => readonly Pattern[];
  /** What a person fills in before a conversation begins. */
  readonly form?: Form<Definition>;
  /** How its definitions import files. The files are given to `compile` as the option `imports`. */
  readonly imports?: Imports;
  /**
   * The agents that a value names: a definition as authored, or its chart. `compile` takes the definitions among them that
   * do not exist as the option `unknownDefinitions`.
   */
  readonly agentReferences?: (value: unknown) => readonly AgentReference[];
  /** The code behind the names in its charts. */
  readonly behaviour: Behaviour;
  /** Every kind of problem it can report. */
  readonly problems: readonly ProblemKind[];
}

/**
 * `conversation`: one person and an agent take turns. `workflow`: a task with an input and an output.
 * `lifecycle`: a table of states and events that runs beside one of the others. docs/contract.md says what each owes.
 */
export type FormatKind = 'conversation' | 'workflow' | 'lifecycle';

/** A form whose answers are part of the input of the actor. */
export interface Form<Definition = unknown> {
  /** The field of the input that holds the answers, by the ids of the form's fields. */
  readonly key: string;
  readonly fields: (definition: Definition) => readonly FormField[];
}

export interface FormField {
  readonly id: string;
  /** The question; the id is asked for when it is empty. */
  readonly label: string;
  readonly description: string;
  readonly type: 'string' | 'number' | 'boolean' | 'select';
  /** What can be chosen, for a `select`. */
  readonly options: readonly string[];
  readonly required: boolean;
  /** The answer when none is given. */
  readonly default_value?: Json | undefined;
}

/** How the definitions of a format import files. */
export interface Imports {
  /** The sources that a definition as authored imports; undefined for one without imports. */
  readonly sources: (value: unknown) => readonly string[] | undefined;
  /**
   * The path of a source from the folder of the first definition; undefined when it is outside.
   *
   * @param from the path of the importing file; empty for the first definition
   */
  readonly path: (from: string, source: string) => string | undefined;
}

/** A place where a definition names an agent, or a definition to run as one. */
export interface AgentReference {
  readonly path: (string | number)[];
  readonly name: string;
  /** True when the field takes only definitions: `intake` instead of `plan:intake`. */
  readonly isDefinition: boolean;
}

/** Whether a value looks like a format's definition, and by what. */
export type Recognition =
  | { readonly matches: true; readonly signs: readonly string[] }
  | { readonly matches: false; readonly because: string };

/** A rule of meaning. Spec links stand at each rule. */
export type Rule<Definition, Options = object> = (subject: {
  readonly definition: Definition;
  readonly options: Options;
  readonly report: Report;
}) => void;

/** A path in which `*` stands for any key or index. */
export type Pattern = Path;

/** Places a problem in the definition as authored. */
export type Report = (problem: Problem, path: Path, details?: ReportDetails) => void;

export interface ReportDetails {
  /** Point at the key that names the place rather than at its value. */
  readonly at?: 'key';
  /** What the finding is about, when its path is only the nearest place that exists: the path of an absent field. */
  readonly about?: readonly Pattern[];
  /**
   * The places that the finding was concluded from. It is left out when one of them is not read as its author meant it,
   * because then a finding there explains this one.
   */
  readonly follows?: readonly Pattern[];
  /** The absent field that the field at the path is a slip of: the finding is reported instead of that it is missing. */
  readonly misspelt?: Path;
  /** Findings of one code about one topic are one finding, such as all that name the same unknown state. */
  readonly topic?: string;
  readonly related?: readonly { readonly path: Path; readonly message: string }[];
}
