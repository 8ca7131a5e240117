import type { JsonObject, Path } from '../json.ts';

/**
 * An XState machine config as plain JSON. Guards, actions, inputs, context and output are references by name; `link` binds
 * them to the code of a format (its `Behaviour`). A chart can be stored, diffed, drawn and linked again without the
 * definition that it was compiled from.
 */
export interface Chart extends ChartNode {
  /** The version of the layout. */
  readonly chart: 1;
  /** The format that lowered the definition. Its behaviour has the code for the names. */
  readonly format: string;
  readonly id: string;
  /** Makes the first context from the actor's input. */
  readonly context: Reference;
  /** Makes the actor's output when it is done. */
  readonly output: Reference;
}

/** A state node. A target is an id (`#plan.intake`) or the key of a sibling node. */
export interface ChartNode {
  readonly id?: string;
  readonly type?: 'parallel' | 'final' | 'history';
  /** For a history node: restores the children of its parent (`shallow`, the default) or the innermost nodes (`deep`). */
  readonly history?: 'shallow' | 'deep';
  readonly description?: string;
  readonly initial?: string;
  readonly entry?: readonly Reference[];
  readonly exit?: readonly Reference[];
  readonly invoke?: readonly ChartInvoke[];
  /** Transitions that need no event, in order of preference. */
  readonly always?: readonly ChartTransition[];
  readonly on?: Readonly<Record<string, readonly ChartTransition[]>>;
  /** Transitions that are taken once the children of the node are done. */
  readonly onDone?: readonly ChartTransition[];
  /** Read by consumers of snapshots. Spec: docs/contract.md */
  readonly tags?: readonly string[];
  readonly states?: Readonly<Record<string, ChartNode>>;
  readonly meta?: NodeMeta;
}

/** Data of a node for people and prompts. `origin` is the source map: the path in the definition as authored. */
export type NodeMeta = JsonObject & { readonly origin?: Path };

export interface ChartTransition {
  readonly target?: string | readonly string[];
  readonly guard?: Reference;
  readonly actions?: readonly Reference[];
  readonly reenter?: boolean;
  readonly description?: string;
  readonly meta?: NodeMeta;
}

/** A call that runs while its node is active: a port call, or a chart for each item of a list. */
export type ChartInvoke = PortInvoke | EachInvoke;

export interface PortInvoke extends InvokeFields {
  /** The name of a port. */
  readonly src: string;
  readonly chart?: never;
}

/** Runs its own chart for each item of a list. `input` makes an `EachInput`; the answer is an `EachOutput`. */
export interface EachInvoke extends InvokeFields {
  readonly src: 'each';
  /** Linked with the same behaviour. Its ids are independent of the outer chart. */
  readonly chart: Chart;
}

interface InvokeFields {
  readonly id: string;
  readonly input: Reference;
  readonly onDone: readonly ChartTransition[];
  readonly onError: readonly ChartTransition[];
}

/** The name of a function in the format's behaviour, with the parameters of this use. */
export interface Reference {
  readonly type: string;
  readonly params?: JsonObject;
}

/**
 * Encodes an author's id as a key in `states` and as part of a node id. XState separates paths with dots, escapes with
 * backslashes and marks ids with `#`; JavaScript moves keys that look like array indexes to the front and gives `__proto__` a
 * meaning of its own. All of these are percent-encoded; every other id is unchanged, and no two ids give the same key.
 */
export function nodeKey(id: string): string {
  if (id === '') return '%';
  const encoded = id.replace(/[%.#\\]/g, percentEncode);
  if (encoded === '__proto__') return '%5F_proto__';
  if (/^\d+$/.test(encoded)) return percentEncode(encoded[0]!) + encoded.slice(1);
  return encoded;
}

function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}
