import type { Diagnostic, Json, JsonObject } from '@dramaturg/compiler';
import type { Definition, Host, InstanceReader } from '@dramaturg/host';
import type { z } from 'zod';
import type { Actor, Scope } from '../access/principal.ts';
import type { DefinitionFile } from '../wire/fields.ts';

/** The caller of an operation. */
export interface Caller {
  /** Aborts when the caller stops waiting. */
  readonly signal?: AbortSignal | undefined;
  /** Absent if no token is required: then the input may say who acts. */
  readonly identity?: Actor | undefined;
  /** The scopes of the caller. Absent in the host's own process: everything is allowed. */
  readonly scopes?: readonly Scope[] | undefined;
  /** The header `Idempotency-Key`. */
  readonly idempotencyKey?: string | undefined;
  /** The trace of the caller. Spec: W3C Trace Context, section 3.2 */
  readonly traceparent?: string | undefined;
  readonly onProgress?: ((done: number, all: number) => void) | undefined;
}

/** A store to read, and the compiler of its definitions. */
export interface ServedReader {
  readonly host: InstanceReader;
  /** @throws RequestError `definition/errors`, `definition/too-large` */
  readonly compile: (file: DefinitionFile) => Promise<Definition>;
}

/** A host that is served, and what is known about its definitions. */
export interface ServedHost extends ServedReader {
  readonly host: Host<object>;
  /** The names of the host's channels. */
  readonly channels: readonly string[];
  readonly check: (file: DefinitionFile) => Promise<readonly Diagnostic[]>;
  /** Converts an input to the form that its format needs. @param by who starts the instance */
  readonly inputOf: (format: string, input: Json | undefined, by: string | undefined) => JsonObject;
  readonly backup: (target: string) => Promise<void>;
  /** The address of an inspector that shows the instances of the host. */
  readonly inspector?: string | undefined;
}

type Method = 'GET' | 'POST' | 'PUT';

/** The input of an operation, for its function and its callers. */
export type InputOf<Schema extends z.ZodType> = ReadonlyFields<z.output<Schema>>;

type ReadonlyFields<Fields> = {
  readonly [Name in keyof Fields]: Fields[Name] extends (infer Item)[]
    ? readonly Item[]
    : Fields[Name] extends (infer Item)[] | undefined
      ? readonly Item[] | undefined
      : Fields[Name];
};

type IdIn<Path extends string> = Path extends `${string}:id${string}` ? [id: string] : [];

/** The command that carries out an operation on one instance. */
export interface OperationCommand<Field extends string = string> {
  readonly name: string;
  readonly description: string;
  /** The flags and the help text of each field of the input. `<text>` without a flag is an argument. */
  readonly options: { readonly [Name in Field]?: readonly [flags: string, words: string] };
  /** The arguments of an example. */
  readonly example: string;
}

interface Described<Schema extends z.ZodType> {
  readonly summary: string;
  /** The query of a GET, and the JSON body of the others. */
  readonly input: Schema;
  /** The body of the answer. */
  readonly output: z.ZodType;
  readonly status?: 200 | 201;
  /** Whether the function streams the body as text. */
  readonly isStream?: true;
  /** Whether the header `Idempotency-Key` makes it safe to repeat the request. */
  readonly hasKey?: true;
  /** Whether it writes to a path on the machine, where other tenants have their stores. */
  readonly writesToMachine?: true;
  readonly command?: OperationCommand<Extract<keyof z.output<Schema>, string>>;
}

/** A row of the table of operations. */
export interface Operation extends Described<z.ZodType> {
  readonly method: Method;
  readonly path: string;
  readonly scope: Scope;
  readonly status: 200 | 201;
  /** The field of the body that has the result. Without it, the result is the body. */
  readonly field?: string;
  readonly command?: OperationCommand;
  /** Parameters after the host: those of the path, the input, the caller. */
  readonly run: (host: never, ...given: never[]) => unknown;
}

/** Makes the rows of operations on a `Host`. */
export function operationsOf<Served>() {
  return <
    const Verb extends Method,
    const Path extends string,
    Schema extends z.ZodType,
    Result,
    const Field extends string = never,
  >(
    route: `${Verb} ${Path}`,
    scope: Scope,
    row: Described<Schema> & {
      readonly field?: Field;
      readonly run: (
        host: Served,
        ...given: [...IdIn<Path>, input: InputOf<Schema>, caller: Caller]
      ) => Result;
    },
  ) => {
    const [method, path] = route.split(' ') as [Verb, Path];
    return { method, path, scope, status: 200, ...row } as const;
  };
}

/** Removes undefined fields, because the host distinguishes them from absent ones. */
export function given<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]: NonNullable<Fields[Name]> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as never;
}
