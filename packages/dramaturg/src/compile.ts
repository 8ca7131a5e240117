import * as compiler from '@dramaturg/compiler';
import * as editor from '@dramaturg/compiler/editor';
import type { CompiledFormats } from './compiled.ts';
import { formats } from './known-formats.ts';

/** How to read a text. All fields are optional: the format is detected from file name and shape. */
export interface CompileOptions extends Omit<compiler.CompileOptions, 'formats'> {
  /** Formats of your own. They are chosen from first. See docs/recipes/add-a-format.md */
  readonly formats?: readonly compiler.AnyFormat[] | undefined;
}

/**
 * Compiles a definition to an XState machine. `diagnostics` has the problems of the text, each with its line and column.
 * `machine` is present unless one of them is an error. With ports provided, `createActor` runs it. With the name of a format
 * its types are those of the format: to send an event that it does not know is a type error.
 *
 * @param text JSON, JSON with comments, or YAML; or a definition that `placesIn` has found inside a file
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

/** Like `compile`, but without a machine: for linters and editors. */
export function check(
  text: string | compiler.Source,
  options: CompileOptions = {},
): compiler.Checked {
  return compiler.check(text, withFormats(options));
}

function withFormats(options: CompileOptions): compiler.CompileOptions {
  return { ...options, formats: [...(options.formats ?? []), ...formats] };
}

/** The definitions inside a file that deploys them, such as a template of CloudFormation. See docs/formats/asl-deployment.md */
export function placesIn(
  text: string,
  options: Omit<editor.PlacesOptions, 'formats'> = {},
): editor.Places | undefined {
  return editor.placesIn(text, { ...options, formats });
}
