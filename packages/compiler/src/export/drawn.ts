import type { GraphNode } from '../chart/graph.ts';
import type { Path } from '../path.ts';

/** The nodes and arrows of a chart, for layout engines. A node comes before its children. */
export interface Drawing {
  readonly title: string;
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly DrawnEdge[];
}

export interface DrawnNode {
  readonly id: string;
  /** The id of the parent node; absent for outermost nodes. */
  readonly parent?: string;
  /** `anywhere` is the source of arrows that leave from every state of the chart, or of an exit that several states share.
   * `entry` is a beginning besides the initial state. `group` frames states that belong together, such as hidden states between two action states. */
  readonly kind: GraphNode['kind'] | 'anywhere' | 'group' | 'entry';
  readonly name: string;
  /** The format's word for this kind of node: `loose`, `Task`, `waiting`. */
  readonly sort?: string;
  readonly description?: string;
  /** Entered first when its parent is entered. */
  readonly initial: boolean;
  /** Its keys from the root, as in the state value of a snapshot. */
  readonly path: readonly string[];
  /** Where the author wrote it. */
  readonly origin?: Path;
  /** The ports that it calls while it is active. */
  readonly asks: readonly string[];
}

export interface DrawnEdge {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  /** The states that share this exit, if the source represents them. */
  readonly sources?: readonly string[];
  /** Where the author wrote the transitions that the arrow represents. */
  readonly origins?: readonly Path[];
  /** The event and the condition; empty when it needs neither. */
  readonly label: string;
}
