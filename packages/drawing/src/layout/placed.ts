import type { DrawnEdge, DrawnNode } from '@dramaturg/compiler/chart';

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

/** A drawing with positions, in pixels from its upper left corner. */
export interface PlacedDrawing {
  readonly width: number;
  readonly height: number;
  /** Parents come before their children. */
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
}

export interface PlacedNode {
  /** Absent for the dot before the initial state. */
  readonly drawn?: DrawnNode;
  readonly id: string;
  readonly parent?: string;
  readonly box: Box;
  readonly lines: readonly string[];
  /** The upper left corner of the text, from the corner of the box. */
  readonly text: Point;
  /** The number among tasks that are done in order, from 1. */
  readonly step?: number;
  /** Height in pixels of the header with the name of a parent node; 0 for a leaf. */
  readonly header: number;
}

export interface PlacedEdge {
  /** The represented arrows of the chart, all with the same source and target; none for the arrow to the initial state and for those between tasks in order. */
  readonly drawn: readonly DrawnEdge[];
  readonly id: string;
  readonly source: string;
  readonly target: string;
  /** The corners of the line, from its source to its target. */
  readonly points: readonly Point[];
  readonly label?: { readonly lines: readonly string[]; readonly box: Box };
}
