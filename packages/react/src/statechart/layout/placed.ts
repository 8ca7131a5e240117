import type { DrawnEdge, DrawnNode } from '@dramaturg/compiler';

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

/** A drawing with a place for everything, in pixels from its upper left corner. */
export interface PlacedDrawing {
  readonly width: number;
  readonly height: number;
  /** Those that others stand in come before these. */
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
}

export interface PlacedNode {
  /** Absent for the dot from which the first state is entered. */
  readonly drawn?: DrawnNode;
  readonly id: string;
  readonly parent?: string;
  readonly box: Box;
  readonly lines: readonly string[];
  /** Pixels at the top of a node with others in it, where its name stands; 0 for one without. */
  readonly header: number;
}

export interface PlacedEdge {
  /** The arrows of the chart that it stands for, all from one state to one other; none to the state entered first. */
  readonly drawn: readonly DrawnEdge[];
  readonly id: string;
  readonly source: string;
  readonly target: string;
  /** The corners of the line, from its source to its target. */
  readonly points: readonly Point[];
  readonly label?: { readonly lines: readonly string[]; readonly box: Box };
}
