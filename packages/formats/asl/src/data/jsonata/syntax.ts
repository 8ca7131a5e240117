/** A part of an expression, as the library's parser describes it. Each type has some of the fields. */
export interface SyntaxNode {
  readonly type: string;
  readonly value?: unknown;
  readonly position?: number;
  readonly steps: readonly SyntaxNode[];
  readonly lhs: SyntaxNode;
  readonly rhs: SyntaxNode;
  readonly expression: SyntaxNode;
  readonly expressions: readonly SyntaxNode[];
  readonly condition: SyntaxNode;
  readonly then: SyntaxNode;
  readonly else?: SyntaxNode;
  readonly procedure: SyntaxNode;
  readonly arguments: readonly SyntaxNode[];
  readonly body: SyntaxNode;
  readonly signature?: Signature;
  /** Whether the function is a tail call, which does not nest. */
  readonly thunk?: boolean;
  readonly pattern: SyntaxNode;
  readonly update: SyntaxNode;
  readonly delete?: SyntaxNode;
  /** Filters: `stages` of a step, `predicate` of any other node. */
  readonly stages?: readonly Stage[];
  readonly predicate?: readonly Stage[];
  readonly group?: Group;
  readonly terms: readonly { readonly expression: SyntaxNode; readonly descending: boolean }[];
  readonly tuple?: boolean;
  /** Variables that a step binds: `focus` to its context, `index` to the position of its result. */
  readonly focus?: string;
  readonly index?: string;
  readonly ancestor?: { readonly label: string };
  readonly slot: { readonly label: string };
  readonly keepArray?: boolean;
  readonly keepSingletonArray?: boolean;
  readonly consarray?: boolean;
  /** Whether a path has names only after its first step. Known after its first evaluation. */
  isPlain?: boolean;
}

export interface Stage {
  readonly type: 'filter' | 'index';
  readonly expr: SyntaxNode;
  readonly value: string;
}

export interface Group {
  readonly lhs: readonly (readonly [key: SyntaxNode, value: SyntaxNode])[];
}

export interface Signature {
  readonly validate: (args: readonly unknown[], input: unknown) => unknown[];
}
