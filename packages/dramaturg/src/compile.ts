import * as compiler from '@dramaturg/compiler';
import type { CompiledFormats } from './compiled.ts';
import { formats } from './known-formats.ts';

/** How to read a text. All fields are optional: the format is detected from file name and shape. */
export interface CompileOptions extends Omit<compiler.CompileOptions, 'formats'> {
  /** Formats of your own. They are tried first. See docs/recipes/add-a-format.md */
  readonly formats?: readonly compiler.AnyFormat[] | undefined;
}

/**
 * Compiles a definition to an XState machine. `diagnostics` has the problems of the text, each with its line and column.
 * `machine` is present unless one of them is an error. With ports provided, `createActor` runs it. With the name of a format
 * its types are those of the format: to send an event that it does not know is a type error.
 *
 * @param text JSON, JSON with comments, or YAML; or a definition that `placesIn` has found inside a file
 *
 * @example
 * ```ts
 * const { machine, diagnostics } = compile(
 *   'StartAt: Greet\nStates: { Greet: { Type: Pass, Result: Hello, End: true } }',
 * );
 * console.log(diagnostics.length); // → 0
 * const actor = createActor(machine!).start();
 * console.log((await toPromise(actor)).output); // → Hello
 * ```
 */
export function compile<Name extends keyof CompiledFormats>(
  text: string | compiler.Source,
  options: CompileOptions & { readonly format: Name },
): CompiledFormats[Name];
export function compile(
  text: string | compiler.Source,
  options?: CompileOptions,
): compiler.Compiled;
export function compile(
  text: string | compiler.Source,
  options: CompileOptions = {},
): compiler.Compiled {
  return compiler.compile(text, withFormats(options));
}

/**
 * Like `compile`, but without a machine: for linters and editors.
 *
 * @example
 * ```ts
 * const { format, diagnostics } = check('StartAt: Pya\nStates: { Pay: { Type: Succeed } }');
 * console.log(format); // → asl
 * for (const { code, range } of diagnostics)
 *   console.log(`${range.start.line}:${range.start.column} ${code}`); // → 1:10 asl/unknown-start
 * ```
 */
export function check(
  text: string | compiler.Source,
  options: CompileOptions = {},
): compiler.Checked {
  return compiler.check(text, withFormats(options));
}

function withFormats(options: CompileOptions): compiler.CompileOptions {
  return { ...options, formats: [...(options.formats ?? []), ...formats] };
}

/**
 * The definitions inside a file that deploys them, such as a template of CloudFormation. See docs/formats/asl-deployment.md
 *
 * @example
 * ```ts
 * const template = `
 * Resources:
 *   Approval:
 *     Type: AWS::StepFunctions::StateMachine
 *     Properties: { Definition: { StartAt: Pay, States: { Pay: { Type: Succeed } } } }`;
 * const { places } = placesIn(template, { fileName: 'template.yaml' })!;
 * for (const { name, source } of places) if (source) console.log(name, check(source).format); // → Approval asl
 * ```
 */
export function placesIn(
  text: string,
  options: Omit<compiler.PlacesOptions, 'formats'> = {},
): compiler.Places | undefined {
  return compiler.placesIn(text, { ...options, formats });
}
