import type { JsonObject } from '../json.ts';
import type { Path } from '../path.ts';

/**
 * A chart: an XState machine config that is plain JSON. Guards, actions, inputs, context and output are references by
 * name, which `link` binds to a format's behaviour. A chart can be stored, diffed, drawn and linked again later without
 * the definition it came from.
 */
export interface Chart extends ChartNode {
  /** The version of this layout. */
  readonly chart: 1;
  /** The format that lowered it, and whose behaviour its names belong to. */
  readonly format: string;
  readonly id: string;
  /** Makes the first context from the actor's input. */
  readonly context: Reference;
  /** Makes the actor's output when it is done. */
  readonly output: Reference;
}

/** A state node. All targets are ids (`#plan.intake`) or keys of sibling nodes. */
export interface ChartNode {
  readonly id?: string;
  readonly type?: 'parallel' | 'final' | 'history';
  /** Of a history node: what it enters again, the children of its parent or the innermost nodes. `shallow` when left out. */
  readonly history?: 'shallow' | 'deep';
  readonly description?: string;
  readonly initial?: string;
  readonly entry?: readonly Reference[];
  readonly exit?: readonly Reference[];
  readonly invoke?: readonly ChartInvoke[];
  readonly always?: readonly ChartTransition[];
  readonly on?: Readonly<Record<string, readonly ChartTransition[]>>;
  readonly onDone?: readonly ChartTransition[];
  readonly tags?: readonly string[];
  readonly states?: Readonly<Record<string, ChartNode>>;
  readonly meta?: NodeMeta;
}

/** What a node carries for people and for prompts; `origin` is the source map. */
export type NodeMeta = JsonObject & { readonly origin?: Path };

export interface ChartTransition {
  readonly target?: string | readonly string[];
  readonly guard?: Reference;
  readonly actions?: readonly Reference[];
  readonly reenter?: boolean;
  readonly description?: string;
  readonly meta?: NodeMeta;
}

/** What runs while the node is active: a call of a port, or a chart for each item of a list. */
export type ChartInvoke = PortInvoke | EachInvoke;

export interface PortInvoke extends InvokeFields {
  /** The name of a port. */
  readonly src: string;
  readonly chart?: never;
}

/** Runs a chart of its own for each item of a list; `input` makes an `EachInput`, the answer is an `EachOutput`. */
export interface EachInvoke extends InvokeFields {
  readonly src: 'each';
  /** Linked with the same behaviour. Its ids are its own. */
  readonly chart: Chart;
}

interface InvokeFields {
  readonly id: string;
  readonly input: Reference;
  readonly onDone: readonly ChartTransition[];
  readonly onError: readonly ChartTransition[];
}

/** A name of the format's behaviour, with the details of this use. */
export interface Reference {
  readonly type: string;
  readonly params?: JsonObject;
}
