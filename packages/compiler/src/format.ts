import type { z } from 'zod/mini';
import type { Authoring } from './authoring/authoring.ts';
import type { Chart } from './chart/chart.ts';
import type { Outline } from './comparison/match-parts.ts';
import type { Problem, ProblemKind } from './diagnostic.ts';
import type { Json, JsonObject, Path } from './json.ts';
import type { Behaviour } from './link/behaviour.ts';
import type { PlaceholderValues, TextOfCall } from './placeholders/fill.ts';
import type { Source } from './read/source.ts';

/** A definition inside a file of another kind, such as a template of CloudFormation. */
export interface Place {
  /** The name of the definition in its file. */
  readonly name: string;
  readonly format: string;
  /** Options of the format that follow from the file. */
  readonly options: JsonObject;
  /** Values that the file gives to placeholders. */
  readonly values: PlaceholderValues;
  /** The definition, with the positions of the file; undefined when it is elsewhere. */
  readonly source?: Source;
  /** Where the definition is when it is not in this file. */
  readonly elsewhere?: Elsewhere;
}

export interface Elsewhere {
  /** The location as written, in words: `"s3://bucket/key"`. */
  readonly location: string;
  /** A path from the folder of the file, when the location is one. */
  readonly file?: string;
  /** How to get it, when that is special. */
  readonly hint?: string;
  /** Whether the text of the file becomes a definition only when it is deployed. */
  readonly isComputed?: (text: string) => boolean;
}

/** How a format finds its definitions inside files of other kinds. */
export interface PlaceFinder {
  /** Suffixes of such files that are neither JSON nor YAML. Their source has a text and no value. */
  readonly suffixes: readonly string[];
  /** The definitions in a file, in order; undefined for a file that is not of these kinds. */
  readonly find: (file: Source, values: PlaceholderValues) => readonly FoundPlace[] | undefined;
}

export type FoundPlace = Omit<Place, 'format'>;

/**
 * A front end of the compiler: everything that the compiler, the host and the tools know about one kind of definition.
 * A new format is a new value of this type, and must not need a change anywhere else.
 */
export interface Format<Definition = unknown, Options extends object = object> {
  /** For example `plan`. Also the first part of its diagnostic codes. */
  readonly name: string;
  /** The purpose of its machines. Consumers branch on the kind and never on the name. */
  readonly kind: FormatKind;
  /** The name of such a definition for people: `conversation plan`. */
  readonly title: string;
  /** Suffixes of file names that belong to this format only, such as `.plan.json`. */
  readonly suffixes: readonly string[];
  /** Tells by shape alone whether a value is such a definition. */
  readonly recognise: (value: unknown) => Recognition;
  /** The schema for a value, with every accepted spelling. Unknown fields are allowed. */
  readonly shape: (value: unknown) => z.core.$ZodType;
  /** The shape for editors, in every layout; several if the format has dialects. The first is for files of its suffixes. */
  readonly schemas?: readonly EditorSchema[];
  /** The names in its definitions, for completion and hover in editors. */
  readonly authoring?: Authoring;
  /** The compile options of the format. */
  readonly options: z.core.$ZodType<Options>;
  /**
   * Rewrites the authored value in one spelling, and reports wrong spellings. Never throws: parts of a wrong shape are
   * dropped, so that rules can check the rest.
   */
  readonly normalise: (value: unknown, report: Report, options: Options) => Definition;
  /** The checks beyond the shape. A rule reports what it finds and never throws. */
  readonly rules: readonly Rule<Definition, Options>[];
  /** Makes the chart. Called only for a definition without errors. */
  readonly lower: (definition: Definition, options: Options) => Chart;
  /** Where a definition says which state leads to which. A mistake there explains states that seem unreachable. */
  readonly wiring?: (value: unknown) => readonly Pattern[];
  /**
   * The types of a definition's data, such as its input and output, as JSON Schemas by their names. `#/definitions/<name>` refers to another
   * one. Called only for a definition without errors.
   */
  readonly dataTypes?: (definition: Definition) => DataTypes;
  /** The form that a person fills in before a conversation begins. */
  readonly form?: Form<Definition>;
  /** How its definitions import files. */
  readonly imports?: Imports;
  /**
   * The agents that a value names: a definition as authored, or its chart. `compile` takes the definitions among them that
   * do not exist as the option `unknownDefinitions`.
   */
  readonly agentReferences?: (value: unknown) => readonly AgentReference[];
  /** How its definitions are found inside files of other kinds. */
  readonly places?: PlaceFinder;
  /** How its definitions have placeholders, such as `${TableName}`; undefined when `${` is text like any other. */
  readonly placeholders?: Placeholders;
  /** The parts that authors have names for, so that versions of a definition can be compared. */
  readonly outline: Outline;
  /** The code for the names in its charts. */
  readonly behaviour: Behaviour;
  /** Every kind of problem that the format can report. */
  readonly problems: readonly ProblemKind[];
}

/** JSON Schemas by the names of types: `Input`, `Output`. */
export type DataTypes = Readonly<Record<string, JsonObject>>;

/** The part of a format from which a JSON Schema for editors is made. */
export interface EditorSchema {
  /** `plan` is `plan.schema.json`. */
  readonly name: string;
  /** For people: `Conversation plan`. */
  readonly title: string;
  readonly description: string;
  /** The shape with descriptions. Where the value decides, `shapeByValue`. */
  readonly shape: z.core.$ZodType;
  /** Rewrites the JSON Schema of the shape: adds what only a JSON Schema needs. */
  readonly adapt?: (schema: JsonObject) => JsonObject;
}

/**
 * `conversation`: one person and an agent take turns. `workflow`: a task with an input and an output.
 * `lifecycle`: a table of states and events that runs alongside one of the others. docs/contract.md says what each kind must provide.
 */
export type FormatKind = 'conversation' | 'workflow' | 'lifecycle';

/** A form whose answers become part of the actor's input. */
export interface Form<Definition = unknown> {
  /** The input field that holds the answers, keyed by the ids of the form's fields. */
  readonly key: string;
  readonly fields: (definition: Definition) => readonly FormField[];
}

export interface FormField {
  readonly id: string;
  /** The question. When empty, the id is shown instead. */
  readonly label: string;
  readonly description: string;
  readonly type: 'string' | 'number' | 'boolean' | 'select';
  /** The choices of a `select`. */
  readonly options: readonly string[];
  readonly required: boolean;
  /** Used when there is no answer. */
  readonly default_value?: Json | undefined;
}

/** How the definitions of a format import files. */
export interface Imports {
  /** The option of `compile` that takes the contents of the files. */
  readonly option: string;
  /** The sources that a definition as authored imports; undefined for one without imports. */
  readonly sources: (value: unknown) => readonly string[] | undefined;
  /**
   * The path of a source from the folder of the first definition; undefined when it is outside.
   *
   * @param from the path of the importing file; empty for the first definition
   */
  readonly path: (from: string, source: string) => string | undefined;
  /** The endings of the files of a path; none when the path has its ending. */
  readonly suffixes?: readonly string[];
}

/** The placeholders of a format: deployment tools fill them in. */
export interface Placeholders {
  /** Whether the string at a path decides what runs, so that no run can begin before its placeholders have values. */
  readonly matters: (path: Path) => boolean;
  /** The text with placeholders that an object represents: `{ "Ref": "Table" }` is `${Table}`. */
  readonly textOfCall?: TextOfCall;
}

/** A place where a definition names an agent, or a definition to run as one. */
export interface AgentReference {
  readonly path: (string | number)[];
  readonly name: string;
  /** True when the field takes only definitions: `intake` instead of `plan:intake`. */
  readonly isDefinition: boolean;
}

/** Whether a value looks like a definition of the format, and the reasons. */
export type Recognition =
  | { readonly matches: true; readonly signs: readonly string[] }
  | { readonly matches: false; readonly because: string };

/** A check beyond the shape. Each rule links to its spec. */
export type Rule<Definition, Options = object> = (subject: {
  readonly definition: Definition;
  readonly options: Options;
  readonly report: Report;
}) => void;

/** A path in which `*` matches any key or index. */
export type Pattern = Path;

/** Reports a problem at a path in the definition as authored. */
export type Report = (problem: Problem, path: Path, details?: ReportDetails) => void;

export interface ReportDetails {
  /** Points at the key instead of its value. */
  readonly at?: 'key';
  /** The subject of the finding, when its path is only the nearest part that exists: for an absent field, for example. */
  readonly about?: readonly Pattern[];
  /**
   * The parts that the finding was inferred from. The finding is dropped when one of them was misread (for example because a
   * field is misspelt), because the finding there explains this one.
   */
  readonly follows?: readonly Pattern[];
  /** The absent field that the field at the path is probably a misspelling of. Replaces the finding that it is missing. */
  readonly misspelt?: Path;
  /** Findings with the same code and topic are merged, such as all that name the same unknown state. */
  readonly topic?: string;
  readonly related?: readonly { readonly path: Path; readonly message: string }[];
}
