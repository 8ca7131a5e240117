/* oxlint-disable typescript/no-explicit-any -- Each format has a context, events and params of its own. */
import type { Reference } from '../chart/chart.ts';
import type { JsonObject } from '../json.ts';
import type { Behaviour } from './behaviour.ts';

/**
 * Makes the references of a chart. A name that the behaviour does not have, or params that its code does not take, are
 * compile errors.
 *
 * The lowering of a format calls it once, and imports its behaviour as a type only:
 *
 *     export const { guard, action, input, output, context } = references<typeof behaviour>();
 *
 * For this the behaviour `satisfies Behaviour`: with the annotation `: Behaviour` its names are lost, and none is accepted.
 */
export function references<Named extends Behaviour>(): References<Named> {
  const reference = (type: string, params?: JsonObject): Reference =>
    params === undefined ? { type } : { type, params };
  return {
    guard: reference,
    action: reference,
    input: reference,
    output: reference,
    context: reference,
  };
}

export interface References<Named extends Behaviour> {
  readonly guard: ReferenceTo<Named['guards']>;
  readonly action: ReferenceTo<Named['actions']>;
  /** The input of a call. */
  readonly input: ReferenceTo<Named['inputs']>;
  readonly output: ReferenceTo<Named['outputs']>;
  readonly context: ReferenceTo<Named['contexts']>;
}

type ReferenceTo<Code> = <Name extends NameIn<Code>>(
  name: Name,
  ...params: ParamsOf<Code[Name]>
) => Reference;

/** `never` for a record without known names. */
type NameIn<Code> = string extends keyof Code ? never : keyof Code & string;

/** Params without a type mean that the code takes none. Params that are all optional may be left out. */
type ParamsOf<Code> = Code extends (scope: any, params: infer Params) => unknown
  ? unknown extends Params
    ? []
    : Partial<Params> extends Params
      ? [params?: Params]
      : [params: Params]
  : [];
